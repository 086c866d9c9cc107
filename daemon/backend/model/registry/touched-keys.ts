import type { Key, Store } from '../../ports.ts';
import { TIME_KEY } from '../schedule/time-anchor.ts';

/** Number of values that are read from the store in one request. */
const PAGE_VALUES = 1000;

interface TouchedTable {
  readonly prefix: string;
  /** The function that loads an object into its namespace; absent if objects of this kind are in no namespace. */
  readonly load?: unknown;
  /**
   * The function that loads a single object of a kind without a namespace; absent if the kind is always read as a
   * whole.
   */
  readonly updateOne?: unknown;
}

/** A key and its newest stored text; the text is undefined if the key was deleted. */
interface NewestValue<Table> {
  readonly table: Table;
  readonly key: Key;
  readonly text: string | undefined;
}

/** The keys that another backend has written, grouped by the table that they belong to. */
export class TouchedKeys<Table extends TouchedTable> {
  /** True if the keys include the time record, which contains the clock corrections. */
  readonly hasTime: boolean;
  readonly #keys: ReadonlyMap<Table, Key[]>;

  /** @param tables all tables, in the order in which they are loaded */
  constructor(tables: readonly Table[], keys: Iterable<Key>) {
    const byPrefix = new Map<unknown, Key[]>(tables.map(({ prefix }) => [prefix, []]));
    const times: Key[] = [];
    byPrefix.set(TIME_KEY[0], times);
    for (const key of keys) byPrefix.get(key[0])?.push(key);
    this.hasTime = times.length > 0;
    this.#keys = new Map(
      tables.map((table) => [table, byPrefix.get(table.prefix) ?? []] as const).filter(([, own]) => own.length > 0),
    );
  }

  get tables(): Iterable<Table> {
    return this.#keys.keys();
  }

  /**
   * Reads the newest values of the keys, in the order of the tables. Kinds that are always read as a whole are left
   * out.
   */
  async read(store: Pick<Store, 'getMany'>): Promise<NewestValue<Table>[]> {
    const touched = [...this.#keys].flatMap(([table, keys]) =>
      table.load === undefined && table.updateOne === undefined ? [] : keys.map((key) => ({ table, key })),
    );
    const newest: NewestValue<Table>[] = [];
    for (let start = 0; start < touched.length; start += PAGE_VALUES) {
      const page = touched.slice(start, start + PAGE_VALUES);
      const texts = await store.getMany(page.map(({ key }) => key));
      for (const [at, { table, key }] of page.entries()) newest.push({ table, key, text: texts[at] });
    }
    return newest;
  }
}
