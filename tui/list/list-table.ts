import type { SearchLanguage } from '../../shared/domain/search-language.ts';
import type { ViewName } from '../state/view-names.ts';
import type { ListRecord, RowOrder } from '../model/list-rows.ts';
import type { SortState } from '../model/list-order.ts';
import type { PlacedColumn } from './table-columns.ts';
import type { SideLook, TablePlace } from './table-place.ts';
import type { Opened, Shown } from '../state/ports.ts';
import type { Known, Places } from '../model/known.ts';
import { compareText } from '../model/compare-text.ts';
import type { TableColumn } from './table-column.ts';

/** Where the rows of a table come from. */
export interface TableSource<Row> {
  readonly keys: (store: Opened & Known) => Iterable<string>;
  /** The row as it is now; `undefined`: gone. */
  readonly row: (store: Opened & Known, key: string) => Row | undefined;
}

/**
 * What is listed, without what is done to it.
 *
 * @typeParam Row what is acted on
 * @typeParam Drawn what its columns show and sort by
 * @typeParam Searched what its filter looks at
 */
export interface ListTable<Row, Drawn = Row, Searched = Row> {
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
  readonly place?: (
    store: Shown & Known & Places & { readonly list: SideLook },
    window: readonly ListRecord[],
  ) => TablePlace;
  /** Shown when there is nothing to show, and no filter is the reason. */
  readonly empty: (store: Opened & Known) => readonly string[];
  /** Shown when no row matches the filter. */
  readonly noMatch?: string;
  /** What actions are about, by its keys; default: the rows as they are now, without those that are gone. */
  readonly meant?: (keys: readonly string[]) => readonly Row[];
}

/** The order that a table is set to. */
export function orderOf(
  { order, columns }: Pick<ListTable<unknown>, 'order' | 'columns'>,
  sort: SortState,
): RowOrder<ListRecord> {
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
