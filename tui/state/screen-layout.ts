import type { ViewName } from './view-names.ts';
import { TALL_ROWS, type ConsoleState } from './console-state.ts';

/** How many rows each part of a list gets; together they are the screen. */
export interface ListLayout {
  readonly tall: boolean;
  readonly header: number;
  /** What a table says above its titles. */
  readonly above: number;
  readonly list: number;
  /** A line of figures under the list, where there is room for it. */
  readonly figures: number;
  /** The pane with its rule; 0: none. */
  readonly pane: number;
  readonly footer: number;
}

const PANE_ROWS = 9;

type LayoutState = Pick<ConsoleState, 'size' | 'pane' | 'header' | 'view'>;

/** The parts of the list that is shown; only events have a pane. */
export function listLayout(state: LayoutState): ListLayout {
  const tall = state.size.rows >= TALL_ROWS;
  // Tall: title, counters, tabs, rule, column heads. Short: title, column heads.
  const header = tall && state.header ? 5 : 2;
  const above = rowsAbove(state.view);
  const pane = tall && state.pane && state.view === 'events' ? PANE_ROWS : 0;
  const figures = tall ? 1 : 0;
  // Rule, filter line, hints.
  const footer = 3;
  const list = state.size.rows - header - above - figures - pane - footer;
  return { tall, header, above, figures, pane, footer, list };
}

/** Rows between the header and the titles of a list. */
function rowsAbove(view: ViewName): number {
  return view === 'cluster' ? 2 : 0;
}

/** Whether it has counters and tabs. */
export function isTallHeader({ header }: Pick<ListLayout, 'header'>): boolean {
  return header > 2;
}

/** Rows of the list that is shown. */
export function listRows(state: LayoutState): number {
  return listLayout(state).list;
}

/** From this width on there is room for two columns of text. */
export const WIDE_COLUMNS = 100;

/** Rows of a page between header and footer. */
export function pageRows({ size: { rows }, header }: Pick<ConsoleState, 'size' | 'header'>): {
  /** With counters and tabs. */
  readonly tall: boolean;
  readonly rows: number;
} {
  const tall = rows >= TALL_ROWS && header;
  // Tall: title, counters, tabs, rule. Short: title. Below both: rule, message, hints.
  return { tall, rows: Math.max(1, rows - (tall ? 4 : 1) - 3) };
}

/** First row of a window that keeps the cursor in its middle where it can. */
export function centredTop(cursor: number, length: number, rows: number): number {
  return Math.max(0, Math.min(cursor - (rows >> 1), length - rows));
}
