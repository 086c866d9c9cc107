import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ListState } from '../state/list-state.ts';
import { cellWidth } from '../terminal/cells.ts';
import { GAP, LEAD, placeColumns, widen, type PlacedColumn, type TableEntry } from './table-columns.ts';
import type { TableColumn } from './table-column.ts';

/** Cells that one step to the side goes when only the last column is left, and its text is wider than its place. */
const SHIFT_CELLS = 20;

/** How a list is looked at from the side. */
export type SideLook = Pick<ListState, 'hidden' | 'sideways' | 'wide'>;

/** What is beside the columns that are drawn. */
export interface Beside {
  /** Columns that are not drawn because of where one looks, and because there is no room. */
  readonly left: number;
  readonly right: number;
  /** Cells of the last column that are not drawn, at its left. */
  readonly shift: number;
  /** Whether there is more to see at the right. */
  readonly hasMore: boolean;
}

/** Columns of a table, and where they are drawn. */
export interface TablePlace extends Beside {
  readonly placed: readonly PlacedColumn[];
}

/** Steps that leave out columns, and cells of the last one for the steps beyond. */
export function stepsOf(sideways: number, scrollable: number): { readonly left: number; readonly shift: number } {
  const left = Math.min(sideways, Math.max(0, scrollable - 1));
  return { left, shift: (sideways - left) * SHIFT_CELLS };
}

/**
 * Where the columns of a table are when they were scrolled: the first one, which names the row, stays.
 *
 * @param window the rows that are drawn
 */
export function placeTable(
  table: { readonly columns: readonly TableColumn<unknown>[] },
  { hidden, sideways, wide }: SideLook,
  about: { readonly columns: number; readonly window: readonly TableEntry[]; readonly nowMs: number },
): TablePlace {
  const all = table.columns.filter(({ id }, index) => index === 0 || !hidden.has(id));
  const { left, shift } = stepsOf(sideways, all.length - 1);
  const placed =
    left === 0 && !wide
      ? placeColumns(table, hidden, about.columns)
      : placeFrom(all.toSpliced(1, left), about.columns - LEAD, wide ? (column) => widthOf(column, about) : undefined);
  const right = all.length - left - placed.length;
  const last = placed.at(-1);
  return {
    placed,
    left,
    right,
    shift,
    get hasMore() {
      return right > 0 || (last !== undefined && widthOf(last.column, about) > last.width + shift);
    },
  };
}

/** As many of the columns as there is room for, always the first two; what is left over widens them. */
function placeFrom(
  columns: readonly TableColumn<unknown>[],
  room: number,
  whole: ((column: TableColumn<unknown>) => number) | undefined,
): readonly PlacedColumn[] {
  const placed: PlacedColumn[] = [];
  let rest = room;
  for (const column of columns) {
    const width = Math.max(column.least, whole?.(column) ?? 0);
    const gap = placed.length === 0 ? 0 : GAP;
    if (placed.length > 1 && width + gap > rest) break;
    placed.push({ column, width: Math.max(1, Math.min(width, rest - gap)) });
    rest -= width + gap;
  }
  return widen(placed, Math.max(0, rest));
}

/** Cells of the longest text of a column among the rows that are drawn, with its title. */
function widthOf(
  { title, text, runs }: TableColumn<unknown>,
  { window, nowMs }: { readonly window: readonly TableEntry[]; readonly nowMs: number },
): number {
  // What is made of symbols fits whatever room it gets.
  if (runs !== undefined) return 0;
  const cells = window.map(({ row }) => cellWidth(safeLine(text(row, nowMs))));
  return Math.max(cellWidth(title) + 1, ...cells);
}
