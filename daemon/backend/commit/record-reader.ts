import type { MonError } from '../../../shared/errors.ts';
import type { RequiredEvents, Routing } from '../model/notify/routing.ts';
import type { Store } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import { isRecordTable, type RecordTable } from '../model/registry/table.ts';
import type { StateCommand } from './command.ts';
import type { FetchedRecords } from '../model/transaction/transaction.ts';

interface ReaderDependencies {
  readonly registry: Registry;
  readonly store: Pick<Store, 'getMany'>;
  readonly routing: Routing;
}

const NO_RECORDS: FetchedRecords = new Map();

/** Reads from the store the record bodies that the commands of a batch need. */
export class RecordReader {
  readonly #dependencies: ReaderDependencies;
  readonly #tables: readonly RecordTable<object, unknown>[];

  constructor(dependencies: ReaderDependencies) {
    this.#dependencies = dependencies;
    this.#tables = dependencies.registry.tables.filter((table) => isRecordTable(table));
  }

  /**
   * Reads the bodies of the entries that the `needs` of the commands return.
   *
   * @param refused commands that were already rejected; they are skipped
   * @param onDefect called with each command whose `needs` throws, and the error
   */
  async fetch(
    batch: readonly StateCommand[],
    refused: ReadonlyMap<StateCommand, MonError>,
    onDefect: (command: StateCommand, error: unknown) => void,
  ): Promise<FetchedRecords> {
    const { definitions } = this.#dependencies.routing;
    for (;;) {
      const { generation } = definitions;
      const needed = this.#needed(batch, refused, onDefect);
      if (needed === undefined) return NO_RECORDS;
      const fetched = await this.#read(needed);
      // If definitions changed during the read, other bodies may be needed: read again.
      if (generation === definitions.generation) return fetched;
    }
  }

  /**
   * Returns the entries whose bodies the commands need, and the owners of these entries.
   *
   * @returns the entries; undefined if no command needs a body, which is the usual case
   */
  #needed(
    batch: readonly StateCommand[],
    refused: ReadonlyMap<StateCommand, MonError>,
    onDefect: (command: StateCommand, error: unknown) => void,
  ): ReadonlySet<object> | undefined {
    const { registry, routing } = this.#dependencies;
    const demand = (namespace: string): RequiredEvents => routing.requiredEvents(namespace);
    let needed: Set<object> | undefined;
    for (const command of batch) {
      if (command.needs === undefined || refused.has(command)) continue;
      try {
        for (const entry of command.needs(registry, demand)) {
          needed ??= new Set();
          needed.add(entry);
          const owner = this.#tableOf(entry).owner?.(entry);
          if (owner !== undefined) needed.add(owner);
        }
      } catch (error) {
        onDefect(command, error);
      }
    }
    return needed;
  }

  async #read(needed: ReadonlySet<object>): Promise<FetchedRecords> {
    const { registry, store } = this.#dependencies;
    const list = [...needed];
    const values = await store.getMany(list.map((entry) => this.#tableOf(entry).key(entry)));
    const fetched = new Map<object, unknown>();
    list.forEach((entry, at) => {
      const value = values[at];
      if (value !== undefined) fetched.set(entry, this.#tableOf(entry).decode(value, registry.corrections));
    });
    return fetched;
  }

  #tableOf(entry: object): RecordTable<object, unknown> {
    const table = this.#tables.find(({ isEntry }) => isEntry(entry));
    if (table === undefined) throw new Error('internal error: a write needs a record of an unknown table');
    return table;
  }
}
