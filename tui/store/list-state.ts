import { CURSOR_AT_TOP, type ListCursor } from './list-cursor.ts';

export interface FilterState {
  readonly text: string;
  /** Why the text being typed is not a filter; the last good one stays in effect. */
  readonly problem: { readonly message: string; readonly position: number } | undefined;
  /** Earlier filters, the newest last. */
  readonly history: readonly string[];
}

/** By which column a list is sorted. */
export interface SortState {
  /** The column's id. */
  readonly column: string;
  /** Against the column's own direction. */
  readonly reversed: boolean;
}

/** What a person has set in one list: every view has its own. */
export interface ListState {
  readonly cursor: ListCursor;
  readonly marks: ReadonlySet<string>;
  readonly lastMark: string | undefined;
  readonly filter: FilterState;
  /** `undefined`: as the view sorts by itself. */
  readonly sort: SortState | undefined;
  /** Ids of the columns that are not to be shown. */
  readonly hidden: ReadonlySet<string>;
}

export const INITIAL_LIST: ListState = {
  cursor: CURSOR_AT_TOP,
  marks: new Set(),
  lastMark: undefined,
  filter: { text: '', problem: undefined, history: [] },
  sort: undefined,
  hidden: new Set(),
};
