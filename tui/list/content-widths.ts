import { safeLine } from '../../shared/domain/terminal-text.ts';
import { cellWidth } from '../terminal/cells.ts';
import { isSortable, type TableColumn } from './table-column.ts';

/** Widths of the longest texts of columns in cells, by the id of the column. */
export type ContentWidths = ReadonlyMap<string, number>;

/**
 * Measures how wide the columns of a list must be for the rows that have been on the screen. A width grows at once and
 * only shrinks when another list, sort order or filter is shown, so that columns do not move while the user scrolls.
 */
export class ColumnMeasure {
  #listKey = '';
  readonly #widths = new Map<string, number>();

  /**
   * Returns the widths after measuring more rows.
   *
   * @param listKey a text that is different for another list, sort order or filter
   */
  measure(
    listKey: string,
    columns: readonly TableColumn<unknown>[],
    rows: readonly unknown[],
    nowMs: number,
  ): ContentWidths {
    if (listKey !== this.#listKey) this.#widths.clear();
    this.#listKey = listKey;
    for (const column of columns.filter(isMeasured)) {
      const widest = Math.max(this.#widths.get(column.id) ?? 0, contentWidth(column, rows, nowMs));
      this.#widths.set(column.id, widest);
    }
    return this.#widths;
  }
}

/** Returns whether the width of a column depends on its texts. A column with `runs` adapts to any width. */
function isMeasured({ runs, most }: TableColumn<unknown>): boolean {
  return runs === undefined && most !== Infinity;
}

/** Returns the width in cells of the longest text of a column. */
export function contentWidth({ text }: TableColumn<unknown>, rows: readonly unknown[], nowMs: number): number {
  return rows.reduce<number>((widest, row) => Math.max(widest, cellWidth(safeLine(text(row, nowMs)))), 0);
}

/** Returns the width in cells that a column needs for its title, including the sign of the sort order. */
export function titleWidth(column: TableColumn<unknown>): number {
  const { title, shortTitle = title } = column;
  return cellWidth(shortTitle) + (isSortable(column) ? 1 : 0);
}
