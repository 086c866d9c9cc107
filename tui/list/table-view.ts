import type { SearchLanguage } from '../../shared/domain/search-language.ts';
import type { KeyAction } from '../actions/keys.ts';
import type { Run, Tone } from '../text/theme.ts';
import type { ViewName } from '../state/view-names.ts';
import type { ListRecord, RowOrder } from '../model/list-rows.ts';
import type { SortState } from '../model/list-order.ts';
import type { PlacedColumn } from './table-columns.ts';
import type { TablePlace } from './table-place.ts';
import type { Opened, Shown } from '../state/ports.ts';
import type { Known, Places } from '../model/known.ts';
import type { ListOfView } from './list-of-view.ts';
import type { ActionPorts } from '../actions/action-ports.ts';
import { compareText } from '../model/compare-text.ts';

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

/** Where the rows of a table come from. */
export interface TableSource<Row> {
  readonly keys: (store: Opened & Known) => Iterable<string>;
  /** The row as it is now; `undefined`: gone. */
  readonly row: (store: Opened & Known, key: string) => Row | undefined;
}

/** An action of the view on the marked rows, or on the one under the cursor. */
export type TableAction<Row> = (store: ActionPorts, rows: readonly Row[]) => void;

/**
 * @typeParam Row what is acted on
 * @typeParam Drawn what its columns show and sort by
 * @typeParam Searched what its filter looks at
 */
export interface TableView<Row, Drawn = Row, Searched = Row> {
  readonly name: ViewName;
  /** One row and several of them in words. */
  readonly nouns: readonly [one: string, several: string];
  /** `undefined`: they are kept elsewhere, change by change. */
  readonly source?: TableSource<Row>;
  readonly columns: readonly TableColumn<Drawn>[];
  /** Id of the column that it is sorted by at first. */
  readonly sort: string;
  /** Default: by the `compare` of the column, then by the key. */
  readonly order?: (sort: SortState) => RowOrder<ListRecord>;
  /** Columns, newest first, that sort so that one end of the list is the newest; the first is the usual one. */
  readonly newestBy?: readonly [string, ...string[]];
  /** What its filter can name. */
  readonly search: SearchLanguage<Searched>;
  /** Default: the row itself. `isStale`: where it comes from is gone. */
  readonly drawn?: (
    store: Pick<Known, 'silenced'> & Places,
    record: ListRecord,
    placed: readonly PlacedColumn[],
  ) => { readonly row: Drawn; readonly isStale: boolean };
  /** Whether the whole row is drawn as what matters less. */
  readonly isFaint?: (row: Drawn) => boolean;
  /** The space behind a cell has the tone of the cell. */
  readonly hasTonedGaps?: true;
  /** Where its columns are drawn; default: by what each can use (`placeTable`). */
  readonly place?: (store: Shown & Known & Places & ListOfView, window: readonly ListRecord[]) => TablePlace;
  /** Shown when there is nothing to show, and no filter is the reason. */
  readonly empty: (store: Opened & Known) => readonly string[];
  /** Shown when no row matches the filter. */
  readonly noMatch?: string;
  /** What actions are about, by its keys; default: the rows as they are now, without those that are gone. */
  readonly meant?: (keys: readonly string[]) => readonly Row[];
  /** By the names in `KEYS`, which say the key and the words. */
  readonly actions: Partial<Readonly<Record<KeyAction, TableAction<Row>>>>;
  /** What keys do here that is about none of the rows, or not offered in the menu. */
  readonly others?: Partial<Readonly<Record<KeyAction, (store: ActionPorts) => void>>>;
}

/** A table whatever its rows are: they only ever meet the definition that they came from. */
export type AnyTable = TableView<unknown>;

export function tableView<Row, Drawn = Row, Searched = Row>(view: TableView<Row, Drawn, Searched>): AnyTable {
  return view as unknown as AnyTable;
}

/** Whether the list can be sorted by a column. */
export function isSortable({ compare, isOrdered }: Pick<TableColumn<unknown>, 'compare' | 'isOrdered'>): boolean {
  return compare !== undefined || isOrdered === true;
}

/** The order that a table is set to. */
export function orderOf({ order, columns }: AnyTable, sort: SortState): RowOrder<ListRecord> {
  if (order !== undefined) return order(sort);
  const { compare: compareRows } = columns.find(({ id }) => id === sort.column) ?? {};
  const sign = sort.reversed ? -1 : 1;
  const compare = (a: ListRecord, b: ListRecord): number =>
    compareRows === undefined
      ? sign * compareText(a.key, b.key)
      : sign * compareRows(a.row, b.row) || compareText(a.key, b.key);
  return {
    compare,
    rankOf: () => 0,
    keepsPlace: (before, after) => compareRows === undefined || compareRows(before, after) === 0,
    sortAll: (records) => records.toSorted(compare),
  };
}
