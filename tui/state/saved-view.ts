import type { ViewName } from './view-names.ts';

/** What a person looks at often: a view with what is set in it. */
export interface SavedView {
  readonly view: ViewName;
  /** Empty: everything. */
  readonly filter: string;
  /** `undefined`: as the view sorts by itself. */
  readonly sort: { readonly column: string; readonly reversed: boolean } | undefined;
  /** Ids of the columns that are shown; `undefined`: all. */
  readonly columns: readonly string[] | undefined;
}

/** What a saved view may be called: one word, so that it can be typed after `:view`. */
export const VIEW_NAME_PATTERN = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,39}$/u;

export const VIEW_NAME_HINT = 'use one word of up to 40 letters, digits, ".", "-" and "_"';
