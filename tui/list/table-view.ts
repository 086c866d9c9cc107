/*
 * How a view that is a table is added:
 *
 * 1. Write `tui/screens/<noun>/table.ts`: the type of its row (immutable; a change is another row), its columns, and
 *    `export const <NOUN> = tableView<Row>({ ... })`.
 * 2. Name it in `tables.ts`. Keys, tabs, sorting, filter, marks, the menus and the screen are there with that.
 * 3. `ConsoleStore` calls `changed(view, key)` where the data that a row is made of changes. What is loaded: add the
 *    type to `ViewData` in `view-data.ts` and the request to `VIEW_LOADERS` in `tui/effects/view-loaders.ts`; a visible
 *    view is loaded again every two seconds, and then all of its rows may be others.
 * 4. Keys of its own: bind them in `tui/actions/keys.ts` with the view's name in `in`, and put what they do into `actions`.
 *    The menu of `x`, the hints and the help follow from that.
 * 5. A view that is no table (a page of boxes, a plan) goes into `pages.ts` and `tui/screens/view-screens.tsx` instead.
 */
import type { SearchLanguage } from '../../shared/domain/search-language.ts';
import type { KeyAction } from '../actions/keys.ts';
import type { Run, Tone } from '../text/theme.ts';
import type { ViewName } from '../state/view-names.ts';
import type { Opened } from '../state/ports.ts';
import type { Known } from '../model/known.ts';
import type { ActionPorts } from '../actions/action-ports.ts';

export interface TableColumn<Row> {
  /** Unique within the table. */
  readonly id: string;
  readonly title: string;
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
}

/** Where the rows of a table come from. */
export interface TableSource<Row> {
  readonly keys: (store: Opened & Known) => Iterable<string>;
  /** The row as it is now; `undefined`: gone. */
  readonly row: (store: Opened & Known, key: string) => Row | undefined;
}

/** An action of the view on the marked rows, or on the one under the cursor. */
export type TableAction<Row> = (store: ActionPorts, rows: readonly Row[]) => void;

export interface TableView<Row> {
  readonly name: ViewName;
  /** One row and several of them in words. */
  readonly nouns: readonly [one: string, several: string];
  readonly source: TableSource<Row>;
  readonly columns: readonly TableColumn<Row>[];
  /** Id of the column that it is sorted by at first. */
  readonly sort: string;
  /** What its filter can name. */
  readonly search: SearchLanguage<Row>;
  /** Shown when there is nothing to show, and no filter is the reason. */
  readonly empty: (store: Opened & Known) => readonly string[];
  /** By the names in `KEYS`, which say the key and the words. */
  readonly actions: Partial<Readonly<Record<KeyAction, TableAction<Row>>>>;
}

/** A table whatever its rows are: they only ever meet the definition that they came from. */
export type AnyTable = TableView<unknown>;

export function tableView<Row>(view: TableView<Row>): AnyTable {
  return view as unknown as AnyTable;
}

/** Smaller text first, by code unit: the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
