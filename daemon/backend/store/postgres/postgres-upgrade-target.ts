import type { Client } from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import type { Clock, Key } from '../../ports.ts';
import {
  PAGE_BYTES,
  PAGE_ENTRIES,
  type KeyRange,
  type RewrittenValue,
  type UpgradeTarget,
} from '../migrations/upgrade-target.ts';
import { encodeNamed } from '../scan-range.ts';
import { decodeTuple, tupleRange } from '../tuple.ts';
import { byteaArray } from './bytea-array.ts';
import { databaseError } from './database-error.ts';
import { entriesQuery, readValues, type EntryRow } from './entries-query.ts';
import type { DatabaseServer } from './server.ts';
import { COUNT_RANGE, KEYS_OF_RANGE, PAGE_OF_BYTES, REPLACE_VALUES, SET_SCHEMA } from './statements.ts';

/** Maximum time in milliseconds for which `replace` retries values that other transactions have locked. */
const LOCKED_MS_MAX = 30_000;
const LOCKED_RETRY_MS = 50;

/** Runs statements on the connection for writes, while no other write of this process is in progress. */
export type StatementRunner = <T>(statement: (client: Client) => Promise<T>) => Promise<T>;

interface TargetDependencies {
  readonly server: Pick<DatabaseServer, 'readers' | 'shown'>;
  readonly write: StatementRunner;
  /** Callback that runs before each write of an upgrade. It throws if the upgrade must not continue. */
  readonly verify: (client: Client) => Promise<void>;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
}

/** A store in PostgreSQL, as migrations read and change it. Other processes may write to it at the same time. */
export class PostgresUpgradeTarget implements UpgradeTarget {
  readonly #parts: TargetDependencies;

  constructor(parts: TargetDependencies) {
    this.#parts = parts;
  }

  get location(): string {
    return this.#parts.server.shown;
  }

  async get(key: Key): Promise<string | undefined> {
    const { readers } = this.#parts.server;
    const [value] = await this.#reading(readValues(readers, [key]));
    return value;
  }

  async keys({ gte, lt }: KeyRange, limit: number): Promise<readonly Key[]> {
    return await this.#keysOf('keys-of-range', KEYS_OF_RANGE, [Buffer.from(gte), Buffer.from(lt), limit]);
  }

  async count(prefix: Key): Promise<number> {
    const { gte, lt } = tupleRange(prefix);
    const { readers } = this.#parts.server;
    const { rows } = await this.#reading(
      readers.query<{ count: string }>(COUNT_RANGE, [Buffer.from(gte), Buffer.from(lt)]),
    );
    return Number(rows[0]?.count ?? 0);
  }

  /**
   * Yields the entries below a prefix in pages. Each page is read from the current data and not from one snapshot,
   * because a snapshot would keep a transaction open for the whole upgrade.
   */
  async *pages(prefix: Key): AsyncGenerator<readonly (readonly [Key, string])[], void, undefined> {
    const { gte, lt } = tupleRange(prefix);
    for (let from = Buffer.from(gte); ;) {
      const query = entriesQuery('page-of-bytes', PAGE_OF_BYTES, [from, Buffer.from(lt), PAGE_ENTRIES, PAGE_BYTES]);
      const { rows } = await this.#reading(this.#parts.server.readers.query<EntryRow>(query));
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(({ key, value }) => [decodeTuple(key), value]);
      // The next page begins with the smallest possible key after the last key of this page.
      from = Buffer.concat([Buffer.from(last.key), Buffer.of(0)]);
    }
  }

  /**
   * Implements `UpgradeTarget.replace` with a statement that skips values that other transactions have locked, so that
   * it cannot deadlock with their writes. Skipped values that are still unchanged afterwards are tried again.
   *
   * @throws MonError `unavailable` if values stay locked for too long
   */
  async replace(values: readonly RewrittenValue[], signal: AbortSignal): Promise<void> {
    const { clock, server } = this.#parts;
    const untilMs = clock.monotonic() + LOCKED_MS_MAX;
    for (let left = values; ;) {
      left = await this.#leftOf(left);
      if (left.length === 0) return;
      signal.throwIfAborted();
      if (clock.monotonic() >= untilMs) {
        throw new MonError('unavailable', `another transaction in ${server.shown} locks ${String(left.length)} values`);
      }
      await new Promise<void>((resolve) => void clock.after(LOCKED_RETRY_MS, resolve));
    }
  }

  async writeVersion(version: number): Promise<void> {
    const { write, verify } = this.#parts;
    await write(async (client) => {
      await verify(client);
      await client.query(SET_SCHEMA, [version]);
    });
  }

  /** Tries once to replace values, and returns the values that are still stored as they were read. */
  async #leftOf(values: readonly RewrittenValue[]): Promise<readonly RewrittenValue[]> {
    const { write, verify, server } = this.#parts;
    const replaced = await write(async (client) => {
      await verify(client);
      const columns = [
        values.map(({ key }) => encodeNamed(key)),
        values.map(({ old }) => old),
        values.map(({ current }) => current),
      ].map((texts) => byteaArray(texts.map((text) => Buffer.from(text))));
      const { rows } = await client.query<Pick<EntryRow, 'key'>>(entriesQuery('replace', REPLACE_VALUES, columns));
      return new Set(rows.map(({ key }) => key));
    });
    const others = values.filter(({ key }) => !replaced.has(encodeNamed(key)));
    const keys = others.map(({ key }) => key);
    const stored = await this.#reading(readValues(server.readers, keys));
    return others.filter(({ old }, at) => stored[at] === old);
  }

  async #keysOf(name: string, text: string, values: unknown[]): Promise<readonly Key[]> {
    const { readers } = this.#parts.server;
    const { rows } = await this.#reading(readers.query<Pick<EntryRow, 'key'>>(entriesQuery(name, text, values)));
    return rows.map(({ key }) => decodeTuple(key));
  }

  async #reading<T>(response: Promise<T>): Promise<T> {
    try {
      return await response;
    } catch (error) {
      throw databaseError(this.#parts.server.shown, 'read', error);
    }
  }
}
