import type { Run, Tone } from '../text/theme.ts';

export interface TableColumn<Row> {
  /** Id of the column, unique within the table. */
  readonly id: string;
  readonly title: string;
  /** The title if the column is too narrow for `title`; default: `title` is cut. */
  readonly shortTitle?: string;
  /** Returns the title while the connection is lost; default: the same title as otherwise. */
  readonly staleTitle?: (width: number) => string;
  /** Width in cells: at least `least`, and up to `most` if the screen has space for it. */
  readonly least: number;
  readonly most: number;
  readonly align?: 'right';
  /** The place where a long text is cut; default: its end. */
  readonly cut?: 'middle';
  /**
   * The order in which columns are dropped on a narrow screen: the highest number is dropped first. Default 0: never
   * dropped.
   */
  readonly dropRank?: number;
  /**
   * Returns the text of a cell. The text can contain control characters from outside; the screen removes them.
   *
   * @param width width of the column in cells; `undefined` requests the full text, to measure it or to scroll in it
   */
  readonly text: (row: Row, nowMs: number, width?: number) => string;
  /**
   * Returns the text of a cell as runs with different tones. The text must come from the console itself, because the
   * screen does not remove control characters from it.
   */
  readonly runs?: (row: Row, nowMs: number, width: number) => readonly Run[];
  /**
   * Returns the tone of a cell; default `plain`. A tone must add no information to the text, because not every user
   * sees colors.
   */
  readonly tone?: (row: Row, nowMs: number) => Tone;
  /**
   * Compares two rows in the default direction of the column. Rows that compare as equal are sorted by their key.
   * Without `compare`, and without `isOrdered`, the list cannot be sorted by this column.
   */
  readonly compare?: (a: Row, b: Row) => number;
  /** True if the table can sort by this column with its own `order` instead of `compare`. */
  readonly isOrdered?: true;
  /** The name of the sort order by this column, as the user sees it; default: the title. */
  readonly orderText?: string;
  /** Id of the column whose title shows the sort direction; default: the id of this column. */
  readonly signAt?: string;
}

/** Returns whether the list can be sorted by a column. */
export function isSortable({ compare, isOrdered }: Pick<TableColumn<unknown>, 'compare' | 'isOrdered'>): boolean {
  return compare !== undefined || isOrdered === true;
}
