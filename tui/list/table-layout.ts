import type { ListState } from '../state/list-state.ts';
import { cellWidth } from '../terminal/cells.ts';
import { contentWidth, type ContentWidths } from './content-widths.ts';
import {
  fittedColumn,
  GAP_CELLS,
  LEAD_CELLS,
  layOutColumns,
  widenColumns,
  type PlacedColumn,
} from './table-columns.ts';
import type { TableColumn } from './table-column.ts';

/**
 * Number of cells by which one horizontal step scrolls the last column, when all columns between it and the first are
 * scrolled out.
 */
const SHIFT_CELLS = 20;

/** The state of a list that decides which columns are visible: hidden and added columns, horizontal scroll position. */
export type ColumnScroll = Pick<ListState, 'hidden' | 'sideways' | 'wide'> & Partial<Pick<ListState, 'added'>>;

/** The parts of a table that are not drawn because of the screen width or horizontal scrolling. */
export interface HiddenColumns {
  /**
   * Numbers of columns that are not drawn: scrolled out on the left (`left`), or not fitting on the right (`right`).
   */
  readonly left: number;
  readonly right: number;
  /** Number of cells by which the text of the last column is scrolled to the left. */
  readonly shift: number;
  /** True if columns or parts of a text are cut off on the right. */
  readonly hasMore: boolean;
}

/** The drawn columns of a table with their positions. */
export interface TableLayout extends HiddenColumns {
  readonly placed: readonly PlacedColumn[];
}

/**
 * Converts horizontal scroll steps into the number of columns that are scrolled out, and the number of cells by which
 * the last column is scrolled. The last of the `scrollable` columns always remains.
 */
export function stepsOf(sideways: number, scrollable: number): { readonly left: number; readonly shift: number } {
  const left = Math.min(sideways, Math.max(0, scrollable - 1));
  return { left, shift: (sideways - left) * SHIFT_CELLS };
}

/** The screen and the rows for which columns are laid out. */
export interface TableViewport {
  /** Width of the screen in cells. */
  readonly columns: number;
  /** The visible rows, as the columns draw them. */
  readonly rows: readonly unknown[];
  /** Widths of the texts that have been on the screen. */
  readonly content: ContentWidths;
  /** Epoch milliseconds that ages refer to. */
  readonly nowMs: number;
}

/**
 * Returns the columns of a table that are drawn after scrolling, with their widths. The first column is always drawn,
 * because it names the row.
 */
export function layOutTable(
  table: { readonly columns: readonly TableColumn<unknown>[] },
  { hidden, sideways, wide }: ColumnScroll,
  viewport: TableViewport,
): TableLayout {
  const { columns, content } = viewport;
  const all = table.columns.filter(({ id }, index) => index === 0 || !hidden.has(id));
  const { left, shift } = stepsOf(sideways, all.length - 1);
  const placed =
    left === 0 && !wide
      ? layOutColumns(table, hidden, columns, content)
      : fitColumns(
          all.toSpliced(1, left).map((column) => fittedColumn(column, content)),
          columns - LEAD_CELLS,
          wide ? (column) => widthOf(column, viewport) : undefined,
        );
  const right = all.length - left - placed.length;
  const last = placed.at(-1);
  return {
    placed,
    left,
    right,
    shift,
    get hasMore() {
      return right > 0 || (last !== undefined && widthOf(last.column, viewport) > last.width + shift);
    },
  };
}

/**
 * Returns as many columns as fit, but at least the first two. The remaining cells make the columns wider. A column with
 * its full width gets at most half of the screen, so that one long text does not push out all others.
 */
function fitColumns(
  columns: readonly TableColumn<unknown>[],
  available: number,
  fullWidth: ((column: TableColumn<unknown>) => number) | undefined,
): readonly PlacedColumn[] {
  const placed: PlacedColumn[] = [];
  let remaining = available;
  for (const [index, column] of columns.entries()) {
    const isLast = index === columns.length - 1;
    const full = Math.min(fullWidth?.(column) ?? 0, isLast ? Infinity : available >> 1);
    const width = Math.max(column.least, full);
    const gap = placed.length === 0 ? 0 : GAP_CELLS;
    if (placed.length > 1 && width + gap > remaining) break;
    placed.push({ column, width: Math.max(1, Math.min(width, remaining - gap)) });
    remaining -= width + gap;
  }
  return widenColumns(placed, Math.max(0, remaining));
}

/** Returns the width in cells that a column needs for its title and for its longest text among the visible rows. */
function widthOf(column: TableColumn<unknown>, { rows, nowMs }: Pick<TableViewport, 'rows' | 'nowMs'>): number {
  // A column with `runs` consists of symbols and adapts to any width.
  if (column.runs !== undefined) return 0;
  return Math.max(cellWidth(column.title) + 1, contentWidth(column, rows, nowMs));
}
