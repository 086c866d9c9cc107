import { CURSOR_AT_TOP, type ListCursor } from './list-cursor.ts';
import type { SortState } from '../model/list-order.ts';

export interface FilterState {
  readonly text: string;
  /** Why the typed text is not a valid filter; the last valid one stays in effect. */
  readonly problem: { readonly message: string; readonly position: number } | undefined;
  /** Earlier filters, the newest last. */
  readonly history: readonly string[];
}

/** The settings of one list; every view has its own. */
export interface ListState {
  readonly cursor: ListCursor;
  /** True if the user has moved the cursor; until then it is on the first row, whichever that is. */
  readonly isCursorMoved: boolean;
  readonly marks: ReadonlySet<string>;
  readonly lastMark: string | undefined;
  readonly filter: FilterState;
  /** `undefined` means the default order of the view. */
  readonly sort: SortState | undefined;
  /** Ids of the hidden columns. */
  readonly hidden: ReadonlySet<string>;
  /** Steps to the right: first columns after the first one are left out, then parts of the last. */
  readonly sideways: number;
  /** True if texts are shown at full width, at the expense of the columns after them. */
  readonly wide: boolean;
  /** True if the cursor stays on the newest row. */
  readonly following: boolean;
}

export const INITIAL_LIST: ListState = {
  cursor: CURSOR_AT_TOP,
  isCursorMoved: false,
  marks: new Set(),
  lastMark: undefined,
  filter: { text: '', problem: undefined, history: [] },
  sort: undefined,
  hidden: new Set(),
  sideways: 0,
  wide: false,
  following: false,
};

/** Returns where the cursor should be. Until the user moves it, it is on the first row. */
export function desiredCursor({ cursor, isCursorMoved, following }: ListState): ListCursor {
  return isCursorMoved || following ? cursor : CURSOR_AT_TOP;
}
