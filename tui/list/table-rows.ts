import type { LiveData } from '../model/live-data.ts';
import type { ListRecord } from '../model/list-rows.ts';
import { OrderedRows } from '../model/ordered-rows.ts';
import type { ScreenView } from '../state/ports.ts';
import { orderOf, type TableSource, type ListTable } from './list-table.ts';

/** Share of changed rows above which sorting all rows again is cheaper than moving each changed row. */
const REBUILD_SHARE = 1 / 8;

/** A row of a table, with its key and the data that filters evaluate. */
class TableRecord implements ListRecord {
  readonly key: string;
  row: unknown;
  isRemoved = false;
  readonly words = undefined;
  matches = true;
  lastFilterNumber = 0;

  constructor(key: string, row: unknown) {
    this.key = key;
    this.row = row;
  }

  get searchRow(): unknown {
    return this.row;
  }
}

/**
 * The rows of a table that are built from other data of the store. A change only records the key of its row. `refresh`
 * then updates the rows, so a table that is not shown costs next to nothing.
 */
export class TableRows extends OrderedRows<TableRecord> {
  readonly #source: TableSource<unknown>;
  readonly #changed = new Set<string>();
  #isAllChanged = true;

  constructor(table: ListTable<unknown>, source: TableSource<unknown>) {
    super(orderOf(table, { column: table.sort, reversed: false }));
    this.#source = source;
  }

  /** Records that the row with this key may have changed, appeared or disappeared. */
  changed(key: string): void {
    if (!this.#isAllChanged) this.#changed.add(key);
  }

  allChanged(): void {
    this.#isAllChanged = true;
    this.#changed.clear();
  }

  /** Updates all changed rows and their positions. */
  refresh(store: ScreenView & LiveData): void {
    if (this.#isAllChanged || this.#changed.size > this.size * REBUILD_SHARE) return this.#rebuild(store);
    for (const key of this.#changed) this.#fetch(store, key);
    this.#changed.clear();
  }

  #rebuild(store: ScreenView & LiveData): void {
    this.#isAllChanged = false;
    this.#changed.clear();
    const rows = new Map<string, unknown>();
    for (const key of this.#source.keys(store)) {
      const row = this.#source.row(store, key);
      if (row !== undefined) rows.set(key, row);
    }
    this.replace(rows, store.nowMs, (key, row) => new TableRecord(key, row));
  }

  #fetch(store: ScreenView & LiveData, key: string): void {
    const row = this.#source.row(store, key);
    const existing = this.get(key);
    if (row !== undefined) this.put(existing ?? this.removedRow(key) ?? new TableRecord(key, row), row, store.nowMs);
    else if (existing !== undefined) this.drop(existing);
  }
}
