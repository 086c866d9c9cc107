import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ListState } from '../state/list-state.ts';
import { cellWidth } from '../terminal/cells.ts';
import { GAP, LEAD, layOutColumns, widen, type PlacedColumn, type TableEntry } from './table-columns.ts';
import type { TableColumn } from './table-column.ts';

/** Cells of one horizontal step once only the last column is left and its text is wider than the column. */
const SHIFT_CELLS = 20;

/** The horizontal scroll state of a list. */
export type SideLook = Pick<ListState, 'hidden' | 'sideways' | 'wide'>;

/** The columns that are not drawn. */
export interface HiddenColumns {
  /** Number of columns on the left that are scrolled out, and on the right that do not fit. */
  readonly left: number;
  readonly right: number;
  /** Cells at the left of the last column that are scrolled out. */
  readonly shift: number;
  /** True if more columns follow on the right. */
  readonly hasMore: boolean;
}

/** The drawn columns of a table with their positions. */
export interface TableLayout extends HiddenColumns {
  readonly placed: readonly PlacedColumn[];
}

/** Splits horizontal steps into scrolled-out columns, and scrolled-out cells of the last one. */
export function stepsOf(sideways: number, scrollable: number): { readonly left: number; readonly shift: number } {
  const left = Math.min(sideways, Math.max(0, scrollable - 1));
  return { left, shift: (sideways - left) * SHIFT_CELLS };
}

/**
 * Returns where the columns of a table are drawn after scrolling. The first one, which names the row, always
 * stays.
 *
 * @param viewport `window`: the visible rows
 */
export function layOutTable(
  table: { readonly columns: readonly TableColumn<unknown>[] },
  { hidden, sideways, wide }: SideLook,
  viewport: { readonly columns: number; readonly window: readonly TableEntry[]; readonly nowMs: number },
): TableLayout {
  const all = table.columns.filter(({ id }, index) => index === 0 || !hidden.has(id));
  const { left, shift } = stepsOf(sideways, all.length - 1);
  const placed =
    left === 0 && !wide
      ? layOutColumns(table, hidden, viewport.columns)
      : fitColumns(
          all.toSpliced(1, left),
          viewport.columns - LEAD,
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

/** Returns as many columns as fit, at least the first two; the remaining cells make them wider. */
function fitColumns(
  columns: readonly TableColumn<unknown>[],
  available: number,
  fullWidth: ((column: TableColumn<unknown>) => number) | undefined,
): readonly PlacedColumn[] {
  const placed: PlacedColumn[] = [];
  let remaining = available;
  for (const column of columns) {
    const width = Math.max(column.least, fullWidth?.(column) ?? 0);
    const gap = placed.length === 0 ? 0 : GAP;
    if (placed.length > 1 && width + gap > remaining) break;
    placed.push({ column, width: Math.max(1, Math.min(width, remaining - gap)) });
    remaining -= width + gap;
  }
  return widen(placed, Math.max(0, remaining));
}

/** Returns the width of a column's title and longest text among the visible rows, in cells. */
function widthOf(
  { title, text, runs }: TableColumn<unknown>,
  { window, nowMs }: { readonly window: readonly TableEntry[]; readonly nowMs: number },
): number {
  // A column of symbols adapts to any width.
  if (runs !== undefined) return 0;
  const cells = window.map(({ row }) => cellWidth(safeLine(text(row, nowMs))));
  return Math.max(cellWidth(title) + 1, ...cells);
}
