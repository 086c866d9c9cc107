import type { KeyAction } from '../state/keys.ts';
import type { SearchLanguage } from '../../shared/domain/search-language.ts';
import type { Line } from '../text/theme.ts';
import type { ViewName } from '../state/view-names.ts';
import type { ListRecord, RowOrder } from '../model/list-rows.ts';
import type { SortState } from '../model/list-order.ts';
import type { PlacedColumn } from './table-columns.ts';
import type { SideLook, TablePlace } from './table-place.ts';
import type { Opened, Shown } from '../state/ports.ts';
import type { Known, Places } from '../model/known.ts';
import { compareText } from '../../shared/domain/compare-text.ts';
import type { TableColumn } from './table-column.ts';

/** Where the rows of a table come from. */
export interface TableSource<Row> {
  readonly keys: (store: Opened & Known) => Iterable<string>;
  /** The row as it is now; `undefined`: gone. */
  readonly row: (store: Opened & Known, key: string) => Row | undefined;
}

/**
 * A view that is a list. How one is added:
 *
 * 1. Write `tui/screens/<noun>/table.ts`: the type of its row (immutable; a change is another row), its columns, and
 *    `export const <NOUN> = tableView<Row>({ ... })`.
 * 2. Name it in `tui/screens/tables.ts`. Keys, tabs, sorting, filter, marks, the menus and the screen are there with
 *    that.
 * 3. `changed(view, key)` is called where the data that a row is made of changes. What is loaded: add the type to
 *    `ViewData` in `tui/model/view-data.ts` and the request to `VIEW_LOADERS` in `tui/effects/view-loaders.ts`; a
 *    visible view is loaded again every two seconds, and then all of its rows may be others.
 * 4. What is done with its rows are actions in `tui/actions/<noun>.ts`, with the view's name in `in`; `menu` names them.
 * 5. A view that is no table (a page of boxes, a plan) goes into `tui/screens/screen-on-top.ts` instead.
 *
 * @typeParam Row what is sorted, and acted on
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
  /** What stands above the titles, in as many rows as `rowsAbove` says of the view. */
  readonly above?: (store: Shown & Known) => readonly Line[];
  /** Shown when there is nothing to show, and no filter is the reason. */
  readonly empty: (store: Opened & Known) => readonly string[];
  /** Shown when no row matches the filter. */
  readonly noMatch?: string;
  /** What the menu of actions offers, in its order: what is done with the rows. */
  readonly menu: readonly KeyAction[];
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

/** A table whatever its rows are: they only ever meet the definition that they came from. */
export type AnyTable = ListTable<unknown>;

export function tableView<Row, Drawn = Row, Searched = Row>(table: ListTable<Row, Drawn, Searched>): AnyTable {
  return table as unknown as AnyTable;
}
