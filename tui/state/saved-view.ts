import type { FoldCriterion } from '../model/fold-by.ts';
import type { ViewName } from './view-names.ts';

/** A view that the user has saved with its settings. */
export interface SavedView {
  readonly view: ViewName;
  /** The text of the filter; empty if all rows are shown. */
  readonly filter: string;
  /** The sort order; `undefined` for the default order of the view. */
  readonly sort: { readonly column: string; readonly reversed: boolean } | undefined;
  /** Ids of the visible columns; `undefined` if all columns are visible. */
  readonly columns: readonly string[] | undefined;
  /** The criterion by which events are folded into rows; `undefined` if each event is a row. */
  readonly fold?: FoldCriterion | undefined;
}

/** The valid names of a saved view: one word, so that it can be typed after `:view`. */
export const VIEW_NAME_PATTERN = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,39}$/u;

export const VIEW_NAME_HINT = 'use one word of up to 40 letters, digits, ".", "-" and "_"';

/** The keys of the first saved views, in their order. The keys before them open the views of the console. */
export const QUICK_KEYS = ['8', '9', '0'] as const;

/** A saved view that has a key and a tab. */
export interface QuickView {
  readonly key: string;
  readonly name: string;
  readonly saved: SavedView;
}

/** Returns the saved views that have a key and a tab: the first ones in the configuration file. */
export function quickViews(savedViews: ReadonlyMap<string, SavedView>): readonly QuickView[] {
  return QUICK_KEYS.flatMap((key, index) => {
    const [name, saved] = [...savedViews][index] ?? [];
    return name === undefined || saved === undefined ? [] : [{ key, name, saved }];
  });
}
