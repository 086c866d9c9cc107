import type { Key, Store } from '../../ports.ts';
import { TIME } from '../schedule/time-anchor.ts';

/** Number of values that are read at once. */
const PAGE = 1000;

interface TouchedTable {
  readonly prefix: string;
  /** Absent: it is in no namespace. */
  readonly load?: unknown;
  /** Absent: a kind without a namespace is read as a whole. */
  readonly adoptOne?: unknown;
}

/** The stored value of a key; undefined: it was deleted. */
interface NewestValue<Table> {
  readonly table: Table;
  readonly key: Key;
  readonly text: string | undefined;
}

/** The keys that writes have touched, by the tables that hold them in memory. */
export class Touched<Table extends TouchedTable> {
  /** True if the clock record is among them. */
  readonly hasTime: boolean;
  readonly #keys: ReadonlyMap<Table, Key[]>;

  /** @param tables in the order in which they are read */
  constructor(tables: readonly Table[], keys: Iterable<Key>) {
    const byPrefix = new Map<unknown, Key[]>(tables.map(({ prefix }) => [prefix, []]));
    const times: Key[] = [];
    byPrefix.set(TIME[0], times);
    for (const key of keys) byPrefix.get(key[0])?.push(key);
    this.hasTime = times.length > 0;
    this.#keys = new Map(
      tables.map((table) => [table, byPrefix.get(table.prefix) ?? []] as const).filter(([, own]) => own.length > 0),
    );
  }

  get tables(): Iterable<Table> {
    return this.#keys.keys();
  }

  /** Reads the newest values of kinds that are loaded by key, in the order of the tables. */
  async read(store: Pick<Store, 'getMany'>): Promise<NewestValue<Table>[]> {
    const touched = [...this.#keys].flatMap(([table, keys]) =>
      table.load === undefined && table.adoptOne === undefined ? [] : keys.map((key) => ({ table, key })),
    );
    const newest: NewestValue<Table>[] = [];
    for (let start = 0; start < touched.length; start += PAGE) {
      const page = touched.slice(start, start + PAGE);
      const texts = await store.getMany(page.map(({ key }) => key));
      for (const [at, { table, key }] of page.entries()) newest.push({ table, key, text: texts[at] });
    }
    return newest;
  }
}
