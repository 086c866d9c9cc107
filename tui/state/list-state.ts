import { CURSOR_AT_TOP, type ListCursor } from './list-cursor.ts';
import type { SortState } from '../model/list-order.ts';

export interface FilterState {
  readonly text: string;
  /** Why the text being typed is not a filter; the last good one stays in effect. */
  readonly problem: { readonly message: string; readonly position: number } | undefined;
  /** Earlier filters, the newest last. */
  readonly history: readonly string[];
}

/** What a person has set in one list: every view has its own. */
export interface ListState {
  readonly cursor: ListCursor;
  /** Whether somebody has put the cursor where it is; until then it is on whatever row is the first. */
  readonly held: boolean;
  readonly marks: ReadonlySet<string>;
  readonly lastMark: string | undefined;
  readonly filter: FilterState;
  /** `undefined`: as the view sorts by itself. */
  readonly sort: SortState | undefined;
  /** Ids of the columns that are not to be shown. */
  readonly hidden: ReadonlySet<string>;
  /** Steps to the right: columns that are left out after the first, then parts of the last. */
  readonly sideways: number;
  /** Whether names and other texts are shown whole, at the cost of the columns behind them. */
  readonly wide: boolean;
  /** Whether the cursor stays on the newest row. */
  readonly following: boolean;
}

export const INITIAL_LIST: ListState = {
  cursor: CURSOR_AT_TOP,
  held: false,
  marks: new Set(),
  lastMark: undefined,
  filter: { text: '', problem: undefined, history: [] },
  sort: undefined,
  hidden: new Set(),
  sideways: 0,
  wide: false,
  following: false,
};

/** Where the cursor belongs, before it is settled: nobody has put it anywhere, so it is on the first row, whatever that is. */
export function wantedCursor({ cursor, held, following }: ListState): ListCursor {
  return held || following ? cursor : CURSOR_AT_TOP;
}
