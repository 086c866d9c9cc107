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
