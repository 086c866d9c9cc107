import { isFound, type SearchOf } from '../../shared/domain/search-language.ts';
import { SortedList } from '../model/sorted-list.ts';
import { compareText, type AnyTable } from './table-view.ts';
import type { ListOrder, SortState } from '../model/list-order.ts';
import type { Opened } from '../state/ports.ts';
import type { Known } from '../model/known.ts';

/** A row in a table: another object whenever the row is another. */
export interface TableEntry {
  readonly key: string;
  readonly row: unknown;
  /** It went away, and is still shown because the order is paused. */
  readonly gone: boolean;
}

/** From this share of all rows on, sorting everything again is cheaper than finding the place of each that changed. */
const REBUILD_SHARE = 1 / 8;

/**
 * The rows of one table: all of them, and in order those that match the filter. What changes is only noted until
 * somebody looks (`settle`), so that a table that is not shown costs next to nothing.
 */
export class TableRows {
  readonly table: AnyTable;
  readonly #entries = new Map<string, TableEntry>();
  #shown: SortedList<TableEntry>;
  #compare: (a: TableEntry, b: TableEntry) => number;
  #filter: SearchOf<unknown> | undefined;
  readonly #changed = new Set<string>();
  #isAllChanged = true;
  #frozen: readonly string[] | undefined;
  readonly #ghosts = new Map<string, TableEntry>();

  constructor(table: AnyTable) {
    this.table = table;
    this.#compare = comparison(table, { column: table.sort, reversed: false });
    this.#shown = new SortedList(this.#compare);
  }

  /** All rows there are, whatever the filter says. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: string): TableEntry | undefined {
    return this.#entries.get(key);
  }

  /** The row of this key may be another, new or gone. */
  changed(key: string): void {
    if (!this.#isAllChanged) this.#changed.add(key);
  }

  allChanged(): void {
    this.#isAllChanged = true;
    this.#changed.clear();
  }

  get usesTime(): boolean {
    return this.#filter?.usesTime ?? false;
  }

  setFilter(filter: SearchOf<unknown> | undefined): void {
    this.#filter = filter;
    this.#reorder();
  }

  setSort(sort: SortState): void {
    this.#compare = comparison(this.table, sort);
    this.#reorder();
  }

  /** Gives everything that changed its place. */
  settle(store: Opened & Known): void {
    if (this.#isAllChanged || this.#changed.size > this.#entries.size * REBUILD_SHARE) return this.#rebuild(store);
    for (const key of this.#changed) this.#put(key, this.table.source.row(store, key), store.nowMs);
    this.#changed.clear();
  }

  get frozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** Pauses the order as it is now; values go on changing in their places. */
  freeze(): void {
    this.#frozen = this.#shown.toArray().map(({ key }) => key);
  }

  thaw(): void {
    this.#frozen = undefined;
    this.#ghosts.clear();
  }

  get order(): ListOrder<TableEntry> {
    const frozen = this.#frozen;
    if (frozen !== undefined) {
      // What left the list since is a ghost, so each of these keys has an entry.
      const slice = (start: number, end: number): TableEntry[] =>
        frozen.slice(start, end).flatMap((key) => this.#entries.get(key) ?? this.#ghosts.get(key) ?? []);
      return {
        length: frozen.length,
        indexOf: (key) => frozen.indexOf(key),
        at: (index) => slice(index, index + 1)[0],
        slice,
      };
    }
    const shown = this.#shown;
    return {
      length: shown.length,
      indexOf: (key) => {
        const entry = this.#entries.get(key);
        return entry === undefined ? -1 : shown.indexOf(entry);
      },
      at: (index) => shown.at(index),
      slice: (start, end) => shown.slice(start, end),
    };
  }

  /** Who asks for other rows or another order wants to see it, also while the present one is paused. */
  #reorder(): void {
    this.allChanged();
    this.thaw();
  }

  #rebuild(store: Opened & Known): void {
    this.#isAllChanged = false;
    this.#changed.clear();
    const before = new Map(this.#entries);
    this.#entries.clear();
    for (const key of this.table.source.keys(store)) {
      const row = this.table.source.row(store, key);
      if (row !== undefined) this.#entries.set(key, { key, row, gone: false });
    }
    for (const [key, entry] of before) if (!this.#entries.has(key)) this.#haunt(entry);
    const shown = [...this.#entries.values()].filter(({ row }) => this.#matches(row, store.nowMs));
    this.#shown = new SortedList(this.#compare);
    this.#shown.replace(shown.toSorted(this.#compare));
  }

  #put(key: string, row: unknown, nowMs: number): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#shown.remove(known);
      this.#entries.delete(key);
    }
    if (row === undefined) {
      if (known !== undefined) this.#haunt(known);
      return;
    }
    const entry = { key, row, gone: false };
    this.#entries.set(key, entry);
    if (this.#matches(row, nowMs)) this.#shown.insert(entry);
  }

  #haunt({ key, row }: TableEntry): void {
    if (this.#frozen !== undefined) this.#ghosts.set(key, { key, row, gone: true });
  }

  #matches(row: unknown, nowMs: number): boolean {
    return this.#filter === undefined || isFound(this.#filter, row, nowMs / 1000);
  }
}

function comparison(table: AnyTable, { column: id, reversed }: SortState): (a: TableEntry, b: TableEntry) => number {
  const column = table.columns.find((candidate) => candidate.id === id);
  const compare = column?.compare;
  const sign = reversed ? -1 : 1;
  if (compare === undefined) return (a, b) => sign * compareText(a.key, b.key);
  return (a, b) => sign * compare(a.row, b.row) || compareText(a.key, b.key);
}
