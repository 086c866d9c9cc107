import type { Run, Tone } from '../text/theme.ts';

export interface TableColumn<Row> {
  /** Id, unique within the table. */
  readonly id: string;
  readonly title: string;
  /** The title for a width that `title` does not fit into; default: it is cut. */
  readonly shortTitle?: string;
  /** Returns the title while the connection is lost. */
  readonly staleTitle?: (width: number) => string;
  /** Width in cells: `least` always, up to `most` if it fits. */
  readonly least: number;
  readonly most: number;
  readonly align?: 'right';
  /** The place where a long text is cut; default: its end. */
  readonly cut?: 'middle';
  /**
   * The order in which columns are dropped if the screen is narrow, the highest number first. Default 0: always
   * shown.
   */
  readonly spare?: number;
  /**
   * Returns the text of a cell. It may contain text from outside; the screen makes it safe.
   *
   * @param width cells of the column; `undefined` if the text is not drawn
   */
  readonly text: (row: Row, nowMs: number, width?: number) => string;
  /**
   * Returns the same text in runs with different tones. Only for our own symbols, because nothing makes it
   * safe.
   */
  readonly runs?: (row: Row, nowMs: number, width: number) => readonly Run[];
  /** Returns the tone; default plain. A tone only repeats what the text says, for users who see colors. */
  readonly tone?: (row: Row, nowMs: number) => Tone;
  /**
   * Compares two rows in the column's own direction; without it the column cannot be sorted. The key decides
   * between equal rows.
   */
  readonly compare?: (a: Row, b: Row) => number;
  /** True if the `order` of the table can sort by the column. */
  readonly isOrdered?: true;
  /** The order in words; default: the title. */
  readonly orderText?: string;
  /** Id of the column whose title shows the direction; default: its own. */
  readonly signAt?: string;
}

/** Returns whether the list can be sorted by a column. */
export function isSortable({ compare, isOrdered }: Pick<TableColumn<unknown>, 'compare' | 'isOrdered'>): boolean {
  return compare !== undefined || isOrdered === true;
}
