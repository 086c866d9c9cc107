import type { Run, Tone } from '../text/theme.ts';

export interface TableColumn<Row> {
  /** Unique within the table. */
  readonly id: string;
  readonly title: string;
  /** For a width that the title does not fit in; default: it is cut. */
  readonly shortTitle?: string;
  /** While nothing here is known to be true any more. */
  readonly staleTitle?: (width: number) => string;
  /** Cells: `least` always, up to `most` when there is room. */
  readonly least: number;
  readonly most: number;
  readonly align?: 'right';
  /** Where a long text loses characters; default at its end. */
  readonly cut?: 'middle';
  /** The column with the highest number is the first to go when there is no room. Default 0: always shown. */
  readonly spare?: number;
  /**
   * Text from outside may be in it: the screen makes it safe.
   *
   * @param width cells that it gets; `undefined`: nobody draws it
   */
  readonly text: (row: Row, nowMs: number, width?: number) => string;
  /** The same text in pieces with tones of their own, for our own symbols alone: nothing makes them safe. */
  readonly runs?: (row: Row, nowMs: number, width: number) => readonly Run[];
  /** Default plain. A tone repeats what the text says, for those who see colors. */
  readonly tone?: (row: Row, nowMs: number) => Tone;
  /** In the column's own direction; without it nothing sorts by this column. Ties are broken by the key. */
  readonly compare?: (a: Row, b: Row) => number;
  /** The `order` of the table sorts by it. */
  readonly isOrdered?: true;
  /** The order in words; default: its title. */
  readonly orderText?: string;
  /** Id of the column whose title tells the direction; default: its own. */
  readonly signAt?: string;
}

/** Whether the list can be sorted by a column. */
export function isSortable({ compare, isOrdered }: Pick<TableColumn<unknown>, 'compare' | 'isOrdered'>): boolean {
  return compare !== undefined || isOrdered === true;
}
