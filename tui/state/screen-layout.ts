import type { ViewName } from './view-names.ts';
import { isTooSmall, TALL_ROWS, type ConsoleState } from './console-state.ts';
import type { PanePlacement } from './pane.ts';

/** The number of rows of each part of a list screen; their sum is the height of the screen. */
export interface ListLayout {
  readonly tall: boolean;
  readonly header: number;
  /** Rows between the header and the column titles. */
  readonly above: number;
  readonly list: number;
  /** Rows of the line with the number of rows and the sort order, under the list: 1 on a tall screen, otherwise 0. */
  readonly figures: number;
  /** Rows of the pane below the list including the rule above it; 0 if it is not shown. */
  readonly pane: number;
  /** Width of the list in cells: that of the screen, without the pane beside the list. */
  readonly columns: number;
  /** Width of the pane beside the list in cells, with its border; 0 if it is not shown. */
  readonly side: number;
  readonly footer: number;
}

const PANE_ROWS = 9;

/** Minimum screen width for a pane beside the list, in cells. */
export const SPLIT_COLUMNS = 120;

/** The share of the width that the list has beside a pane: its rows are wider than the wrapped text of the pane. */
const LIST_SHARE = 0.54;

type LayoutState = Pick<ConsoleState, 'size' | 'pane' | 'header' | 'view'>;

/** Returns the layout of the shown list. Only the list of events has a pane. */
export function listLayout(state: LayoutState): ListLayout {
  if (isTooSmall(state.size)) return smallListLayout(state);
  const tall = state.size.rows >= TALL_ROWS;
  // A tall header has title, counters, tabs, rule and column titles. A short header has title and column titles.
  const header = tall && state.header ? 5 : 2;
  const above = rowsAbove(state.view);
  const placement = shownPane(state);
  const pane = placement === 'below' ? PANE_ROWS : 0;
  const columns = placement === 'beside' ? Math.floor(state.size.columns * LIST_SHARE) : state.size.columns;
  const figures = tall ? 1 : 0;
  // The footer has a rule, the filter line and the key hints.
  const footer = 3;
  const list = state.size.rows - header - above - figures - pane - footer;
  return { tall, header, above, figures, pane, columns, side: state.size.columns - columns, footer, list };
}

/**
 * Returns where the pane is shown now. On a screen that is too narrow for a pane beside the list, it is below the list,
 * and on one that is too short for that, there is none.
 */
export function shownPane({ size, pane: { placement }, view }: LayoutState): PanePlacement {
  if (view !== 'events' || placement === 'off' || isTooSmall(size)) return 'off';
  if (placement === 'beside' && size.columns >= SPLIT_COLUMNS) return 'beside';
  return size.rows >= TALL_ROWS ? 'below' : 'off';
}

/** Returns whether the pane has the focus, so that the keys that move scroll it instead of moving the cursor. */
export function isPaneFocused(state: LayoutState): boolean {
  return state.pane.isFocused && shownPane(state) !== 'off';
}

/** Returns the layout on a screen that is too small for keys: header and column titles, rows, and one line below. */
function smallListLayout({ size, view }: LayoutState): ListLayout {
  const above = rowsAbove(view);
  const list = Math.max(0, size.rows - 3 - above);
  return { tall: false, header: 2, above, list, figures: 0, pane: 0, columns: size.columns, side: 0, footer: 1 };
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
