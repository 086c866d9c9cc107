import type { ViewName } from './view-names.ts';
import { isTooSmall, TALL_ROWS, type ConsoleState } from './console-state.ts';

/** The number of rows of each part of a list screen; their sum is the height of the screen. */
export interface ListLayout {
  readonly tall: boolean;
  readonly header: number;
  /** Rows between the header and the column titles. */
  readonly above: number;
  readonly list: number;
  /** Rows of the line with the number of rows and the sort order, under the list: 1 on a tall screen, otherwise 0. */
  readonly figures: number;
  /** Rows of the pane including the rule above it; 0 if the pane is not shown. */
  readonly pane: number;
  readonly footer: number;
}

const PANE_ROWS = 9;

type LayoutState = Pick<ConsoleState, 'size' | 'pane' | 'header' | 'view'>;

/** Returns the layout of the shown list. Only the list of events has a pane. */
export function listLayout(state: LayoutState): ListLayout {
  if (isTooSmall(state.size)) return smallListLayout(state);
  const tall = state.size.rows >= TALL_ROWS;
  // A tall header has title, counters, tabs, rule and column titles. A short header has title and column titles.
  const header = tall && state.header ? 5 : 2;
  const above = rowsAbove(state.view);
  const pane = tall && state.pane && state.view === 'events' ? PANE_ROWS : 0;
  const figures = tall ? 1 : 0;
  // The footer has a rule, the filter line and the key hints.
  const footer = 3;
  const list = state.size.rows - header - above - figures - pane - footer;
  return { tall, header, above, figures, pane, footer, list };
}

/** Returns the layout on a screen that is too small for keys: header and column titles, rows, and one line below. */
function smallListLayout({ size, view }: LayoutState): ListLayout {
  const above = rowsAbove(view);
  const list = Math.max(0, size.rows - 3 - above);
  return { tall: false, header: 2, above, list, figures: 0, pane: 0, footer: 1 };
}

/** Returns the number of rows between the header and the column titles of a list. */
function rowsAbove(view: ViewName): number {
  return view === 'cluster' ? 2 : 0;
}

/** Returns whether the header has counters and tabs. */
export function isTallHeader({ header }: Pick<ListLayout, 'header'>): boolean {
  return header > 2;
}

/** Returns the number of rows that the screen has for the shown list. */
export function listRows(state: LayoutState): number {
  return listLayout(state).list;
}

/** Minimum screen width for two columns of text side by side, in cells. */
export const WIDE_COLUMNS = 100;

/** Returns the number of rows that a page has between header and footer. */
export function pageRows({ size: { rows }, header }: Pick<ConsoleState, 'size' | 'header'>): {
  /** True if the header has counters and tabs. */
  readonly tall: boolean;
  readonly rows: number;
} {
  const tall = rows >= TALL_ROWS && header;
  // A tall header has title, counters, tabs and rule, a short header only the title. The footer has rule, message and
  // key hints.
  return { tall, rows: Math.max(1, rows - (tall ? 4 : 1) - 3) };
}

/** Returns the index of the first visible row. If possible, the cursor is in the middle of the visible rows. */
export function centredTop(cursor: number, length: number, rows: number): number {
  return Math.max(0, Math.min(cursor - (rows >> 1), length - rows));
}
