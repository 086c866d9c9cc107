import { CURSOR_AT_TOP, type ListCursor } from './list-cursor.ts';
import type { FoldCriterion } from '../model/fold-by.ts';
import type { SortState } from '../model/list-order.ts';

export interface FilterState {
  readonly text: string;
  /**
   * The reason why the typed text is not a valid filter; `undefined` if it is valid. The last valid filter stays in
   * effect.
   */
  readonly problem: { readonly message: string; readonly position: number } | undefined;
  /** Earlier filters, the newest last. */
  readonly history: readonly string[];
}

/** The state of one list: cursor, marks, filter, sort order and columns. Every view has its own. */
export interface ListState {
  readonly cursor: ListCursor;
  /**
   * True if the user has moved the cursor. Until then, it stays on the first row, even if another row becomes the
   * first.
   */
  readonly isCursorMoved: boolean;
  readonly marks: ReadonlySet<string>;
  readonly lastMark: string | undefined;
  readonly filter: FilterState;
  /** The sort order; `undefined` for the default order of the view. */
  readonly sort: SortState | undefined;
  /** The criterion by which events are folded into rows; `undefined` if each event is a row. */
  readonly fold: FoldCriterion | undefined;
  /** Ids of the hidden columns. */
  readonly hidden: ReadonlySet<string>;
  /** Ids of the columns of attributes, such as `client.rack`, that are shown in addition. */
  readonly added: readonly string[];
  /**
   * Number of horizontal scroll steps to the right. The steps scroll out the columns after the first one, and then
   * parts of the last column's text.
   */
  readonly sideways: number;
  /** True if texts are shown at full width, so that fewer of the columns after them fit. */
  readonly wide: boolean;
  /** True if the cursor stays on the newest row. */
  readonly following: boolean;
  /** The sort order that following the newest row replaced; `undefined` if it replaced none. */
  readonly replacedSort: { readonly sort: SortState | undefined } | undefined;
}

export const INITIAL_LIST: ListState = {
  cursor: CURSOR_AT_TOP,
  isCursorMoved: false,
  marks: new Set(),
  lastMark: undefined,
  filter: { text: '', problem: undefined, history: [] },
  sort: undefined,
  fold: undefined,
  hidden: new Set(),
  added: [],
  sideways: 0,
  wide: false,
  following: false,
  replacedSort: undefined,
};

/** Returns the cursor that the user wants: on the first row until the user moves it or follows the newest row. */
export function desiredCursor({ cursor, isCursorMoved, following }: ListState): ListCursor {
  return isCursorMoved || following ? cursor : CURSOR_AT_TOP;
}
