import type { KeyAction } from '../state/keys.ts';
import type { SearchLanguage } from '../../shared/domain/search-language.ts';
import type { Line } from '../text/theme.ts';
import type { ViewName } from '../state/view-names.ts';
import type { ListRecord, RowOrder } from '../model/list-rows.ts';
import type { SortState } from '../model/list-order.ts';
import type { PlacedColumn, RowStyle } from './table-columns.ts';
import type { ContentWidths } from './content-widths.ts';
import type { ColumnScroll, TableLayout } from './table-layout.ts';
import type { ScreenView } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import { compareText } from '../../shared/domain/compare-text.ts';
import type { TableColumn } from './table-column.ts';

/** The functions that return the keys and the rows of a table. */
export interface TableSource<Row> {
  readonly keys: (store: ScreenView & LiveData) => Iterable<string>;
  /** Returns the current row with this key; `undefined` if the row no longer exists. */
  readonly row: (store: ScreenView & LiveData, key: string) => Row | undefined;
}

/**
 * The definition of a view that is a list. How to add a list:
 *
 * 1. Write `tui/screens/<noun>/table.ts`: the type of its row (immutable; a change is another row), its columns, and
 *    `export const <NOUN> = tableView<Row>({ ... })`.
 * 2. Add it to `tui/screens/tables.ts`. Keys, tabs, sorting, filter, marks, the menus and the screen then work.
 * 3. Call `changed(view, key)` where the data of a row changes. For loaded data, add the type to `ViewData` in
 *    `tui/model/view-data.ts` and the request to `VIEW_LOADERS` in `tui/effects/view-loaders.ts`. A visible view is
 *    loaded again every two seconds, and then all of its rows may change.
 * 4. Define the actions on its rows in `tui/actions/<noun>.ts`, with the view's name in `in`; `menu` lists them.
 * 5. A view that is not a table (a page of boxes, a plan) goes into `tui/screens/screen-on-top.ts` instead.
 *
 * @typeParam Row the data that is sorted and acted on
 * @typeParam Drawn the data that its columns show and sort by
 * @typeParam Searched the data that its filter evaluates
 */
export interface ListTable<Row, Drawn = Row, Searched = Row> {
  readonly name: ViewName;
  /** The singular and the plural noun for a row, such as `event` and `events`. */
  readonly nouns: readonly [one: string, several: string];
  /** The source of the rows; `undefined` for events, whose rows `EventRegistry` maintains. */
  readonly source?: TableSource<Row>;
  readonly columns: readonly TableColumn<Drawn>[];
  /** The columns of attributes, which the user can add; `undefined` if the rows have no attributes. */
  readonly attributes?: {
    /** Returns the column with this id, such as `client.rack`; an error message if there can be no such column. */
    readonly column: (id: string) => TableColumn<Drawn> | string;
    /** Returns the ids of the columns of all attributes that the rows have. */
    readonly ids: (store: LiveData) => readonly string[];
    /** Returns values of an attribute for completion. */
    readonly values: (store: LiveData, name: string) => readonly string[];
  };
  /** Id of the default sort column. */
  readonly sort: string;
  /** Returns the row order for a sort state. Default: by the `compare` of the sort column, then by the key. */
  readonly order?: (sort: SortState) => RowOrder<ListRecord>;
  /**
   * Ids of the sort columns that put the newest row at one end of the list. Following the newest row sorts by the first
   * id, unless the list is already sorted by one of them.
   */
  readonly newestBy?: readonly [string, ...string[]];
  /** The search language of the table's filter. */
  readonly search: SearchLanguage<Searched>;
  /**
   * Returns the data that the columns draw. Default: the row itself. `isStale` is true if the backend of the row is
   * disconnected.
   */
  readonly drawn?: (
    store: LiveData,
    record: ListRecord,
    placed: readonly PlacedColumn[],
  ) => { readonly row: Drawn; readonly isStale: boolean };
  /** Returns how a row is drawn apart from its cells. Default: a plain row, or a faint one if it was removed. */
  readonly rowLook?: (row: Drawn, nowMs: number) => RowStyle;
  /** Returns the columns that are drawn, with their widths. Default: `layOutTable`. */
  readonly layOut?: (
    store: ScreenView & LiveData & { readonly list: ColumnScroll },
    window: readonly ListRecord[],
    content: ContentWidths,
  ) => TableLayout;
  /** Returns the lines above the column titles. Their number must be what `rowsAbove` returns for the view. */
  readonly above?: (store: ScreenView & LiveData) => readonly Line[];
  /** Returns the text that is shown if the list is empty and has no filter. */
  readonly empty: (store: ScreenView & LiveData) => readonly string[];
  /** The text that is shown if no row matches the filter. */
  readonly noMatch?: string;
  /** The actions on a row, in the order of the menu. */
  readonly menu: readonly KeyAction[];
}

/** Returns the column of a table with this id, also that of an attribute; `undefined` if there is none. */
export function columnOf<Drawn>(
  { columns, attributes }: Pick<ListTable<unknown, Drawn>, 'columns' | 'attributes'>,
  id: string,
): TableColumn<Drawn> | undefined {
  const column = columns.find((own) => own.id === id) ?? attributes?.column(id);
  return typeof column === 'string' ? undefined : column;
}

/** Returns the row order of a table for a sort state. */
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
    keepsPosition: (before, after) => compareRows === undefined || compareRows(before, after) === 0,
    sortAll: (records) => records.toSorted(compare),
  };
}

/**
 * The definition of a table with any type of row. The cast in `tableView` is safe, because a definition only receives
 * rows that it created.
 */
export type AnyTable = ListTable<unknown>;

export function tableView<Row, Drawn = Row, Searched = Row>(table: ListTable<Row, Drawn, Searched>): AnyTable {
  return table as unknown as AnyTable;
}
