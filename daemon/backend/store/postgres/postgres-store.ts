import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { BusyError, MonError } from '../../../../shared/errors.ts';
import { SystemClock } from '../../../clock/system-clock.ts';
import type { Change, ChangeRecord, Clock, Key, Lease, Store, StoreOp } from '../../ports.ts';
import { parseChanges } from '../change-record.ts';
import { MIGRATIONS } from '../migrations/list.ts';
import { Reopener } from '../reopener.ts';
import { RETENTION_DEFAULT, type RetentionLimits } from '../retention.ts';
import { encodeNamed, scanRange } from '../scan-range.ts';
import { emptyShard, type Shard } from '../shard.ts';
import { tell } from '../tell.ts';
import { UnsettledWriteError } from '../unsettled-write.ts';
import { batchOf, type Batch } from './batch.ts';
import { byteaArray } from './binary-array.ts';
import { databaseError, isAnswer } from './database-error.ts';
import { entriesQuery, type EntryRow } from './entries-query.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { readRetention, readShards } from './held-shard.ts';
import { ensureTables, readStoreRow } from './open-postgres.ts';
import { PostgresSchema } from './postgres-schema.ts';
import { DatabaseServer, giveUp } from './server.ts';
import { entriesOfSnapshot, Snapshot } from './snapshot.ts';
import { ACQUIRE, HOLDER, RECORDS, RELEASE, RENEW, SIZE, VALUES, WRITTEN } from './statements.ts';

export interface PostgresStoreOptions {
  /** How far back `watch` can begin. */
  readonly retention?: RetentionLimits;
  /** When the database is tried again after it was lost, and leases are renewed. Default: the machine's. */
  readonly clock?: Pick<Clock, 'after' | 'every' | 'monotonic'>;
}

/** How long the caller of a write whose answer was lost waits at most until it is known whether it is there. */
const SETTLE_MS_MAX = 10_000;
const SETTLE_RETRY_MS = 100;

/** A lease is renewed this often while it is good for. */
const RENEWALS = 3;

/** Change records read at a time. */
const PAGE_RECORDS = 1000;

/** A lease as it was granted, and what keeps it. */
interface Held {
  readonly ttlMs: number;
  /** Rises when the connection was lost: whatever the old one still brings is shut out. */
  epoch: number;
  readonly renewal: Disposable;
}

/**
 * The store of all backends that are given the same database.
 *
 * @throws MonError `invalid` when the setting, the rights or what is in the database is wrong, `unavailable` when it cannot
 *   be reached
 */
export async function openPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<PostgresStore> {
  const server = new DatabaseServer(parseDatabaseUrl(url));
  const row = await ensureTables(server, MIGRATIONS);
  if (row.copying !== null) {
    throw new MonError(
      'invalid',
      `the store ${server.shown} was copied only in part; run mon-backend migrate-store with the same --from and --to again`,
    );
  }
  return await PostgresStore.over(server, row, options);
}

/**
 * Each write is one statement, which counts on the row of the lease and does nothing when somebody else holds that by now:
 * a process that stood still for a minute can write nothing. When the answer to a write is lost, the lease is taken again
 * under a later epoch, which waits for what the old connection may still be doing and shuts out what it has not begun; then
 * the database says whether the write is there, and it is made again if it is not.
 */
export class PostgresStore implements Store {
  readonly id: string;
  readonly schema: PostgresSchema;
  readonly #server: DatabaseServer;
  /** Names this process among those that want a lease. */
  readonly #member = randomUUID();
  readonly #clock: Pick<Clock, 'after' | 'every' | 'monotonic'>;
  readonly #retention: RetentionLimits;
  readonly #shards: Map<string, Shard>;
  readonly #held = new Map<string, Held>();
  readonly #reopener: Reopener;
  readonly #mendedListeners = new Set<() => void>();
  #client: Client | undefined;
  #refusal: MonError | undefined;
  /** Settles when the last of the writes, which go one after the other, is done. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  private constructor(
    server: DatabaseServer,
    { id, schema }: { readonly id: string; readonly schema: number },
    shards: Map<string, Shard>,
    { retention = RETENTION_DEFAULT, clock = new SystemClock() }: PostgresStoreOptions,
  ) {
    this.id = id;
    this.#server = server;
    this.#shards = shards;
    this.#retention = retention;
    this.#clock = clock;
    this.#reopener = new Reopener(() => this.#inTurn(() => this.#reopen()), clock);
    this.schema = new PostgresSchema(server, { version: schema, migrations: MIGRATIONS });
  }

  /** @param row of a database that is a store, see `ensureTables` */
  static async over(
    server: DatabaseServer,
    row: { readonly id: string; readonly schema: number },
    options: PostgresStoreOptions = {},
  ): Promise<PostgresStore> {
    const client = await server.connect(() => undefined);
    try {
      const shards = await readShards(client, options.retention ?? RETENTION_DEFAULT);
      return new PostgresStore(server, row, shards, options);
    } catch (error) {
      throw databaseError(server.shown, 'read', error);
    } finally {
      giveUp(client);
    }
  }

  scan(
    prefix: Key,
    options: { readonly after?: Key; readonly limit?: number } = {},
  ): AsyncIterable<readonly [Key, string]> {
    this.#assertOpen();
    const range = scanRange(prefix, options);
    // Between two writes, so that it is of the moment of the call.
    const opening = this.#inTurn(() => this.#reading(Snapshot.open(this.#server.readers, range)));
    // Whoever reads it hears of it.
    opening.catch(() => undefined);
    return entriesOfSnapshot(opening);
  }

  async getMany(keys: readonly Key[]): Promise<(string | undefined)[]> {
    this.#assertOpen();
    if (keys.length === 0) return [];
    const encoded = keys.map(encodeNamed);
    const wanted = byteaArray(encoded.map((key) => Buffer.from(key)));
    const { rows } = await this.#reading(
      this.#server.readers.query<EntryRow>(entriesQuery('values', VALUES, [wanted])),
    );
    const values = new Map(rows.map(({ key, value }) => [key, value]));
    return encoded.map((key) => values.get(key));
  }

  lastSeq(shard: string): number {
    return this.#shards.get(shard)?.retention.last ?? 0;
  }

  async write(lease: Lease, ops: readonly StoreOp[], changes: readonly Change[]): Promise<number> {
    return this.#inTurn(async () => {
      const shard = this.#shard(lease.name);
      const held = this.#held.get(lease.name);
      if (held === undefined || shard.holder !== lease.epoch) throw ended(lease);
      const batch = batchOf(shard, { id: this.#member, ttlMs: held.ttlMs }, ops, changes);
      if (this.#refusal !== undefined) throw this.#refusal;
      const seq = await this.#writeBatch(shard, held, batch);
      shard.retention.append(changes.length);
      for (const watcher of shard.watchers) watcher({ seq, changes });
      return seq;
    });
  }

  async watch(
    shardName: string,
    afterSeq: number,
    listener: (record: ChangeRecord) => void,
  ): Promise<{ readonly first: number; close(): void }> {
    // What is committed while the past is read waits here; undefined from then on.
    let waiting: ChangeRecord[] | undefined = [];
    const watcher = (record: ChangeRecord): void => {
      if (record.seq <= afterSeq) return;
      if (waiting === undefined) tell(listener, record);
      else waiting.push(record);
    };
    const { shard, first, last } = await this.#inTurn(async () => {
      const watched = this.#shard(shardName);
      watched.watchers.add(watcher);
      const { first: oldest, last: newest } = watched.retention;
      return { shard: watched, first: oldest, last: newest };
    });
    try {
      for await (const record of this.#records(shardName, Math.max(first, afterSeq + 1), last)) listener(record);
    } catch (error) {
      shard.watchers.delete(watcher);
      throw error;
    }
    for (const record of waiting) tell(listener, record);
    waiting = undefined;
    return { first, close: () => void shard.watchers.delete(watcher) };
  }

  /** The same process may take it anew; another one only when it was released or has run out. */
  async acquire(name: string, ttlMs: number): Promise<Lease> {
    return this.#inTurn(async () => {
      const shard = this.#shard(name);
      const client = await this.#connection();
      const { rows } = await this.#asked(client.query(ACQUIRE, [name, this.#member, ttlMs]), 'write');
      const [row]: { epoch: string; seq: string }[] = rows;
      if (row === undefined) throw await this.#heldElsewhere(client, name);
      const epoch = Number(row.epoch);
      // Somebody else may have written since it was opened here.
      if (Number(row.seq) !== shard.retention.last) {
        shard.retention = await this.#asked(readRetention(client, name, Number(row.seq), this.#retention), 'read');
      }
      shard.epoch = epoch;
      shard.holder = epoch;
      this.#hold(name, { epoch, ttlMs });
      return {
        name,
        epoch,
        renew: () => this.#inTurn(() => this.#renew(shard, epoch)),
        release: () => this.#inTurn(() => this.#release(shard, epoch)),
      };
    });
  }

  get refusal(): MonError | undefined {
    return this.#refusal;
  }

  onMended(listener: () => void): Disposable {
    this.#mendedListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#mendedListeners.delete(listener) };
  }

  /** What it takes on the disk of the database. */
  async bytes(): Promise<number> {
    const { rows } = await this.#reading(this.#server.readers.query<{ bytes: string }>(SIZE));
    return Number(rows[0]?.bytes ?? 0);
  }

  async close(): Promise<void> {
    this.#reopener[Symbol.dispose]();
    this.#closed ??= this.#closeAfter(this.#lastTurn);
    return this.#closed;
  }

  async #closeAfter(lastTurn: Promise<unknown>): Promise<void> {
    await lastTurn;
    for (const { renewal } of this.#held.values()) renewal[Symbol.dispose]();
    // Whoever waits for a lease need not wait until it runs out.
    for (const [name, { epoch }] of this.#held) {
      await this.#client?.query(RELEASE, [name, this.#member, epoch]).catch(() => undefined);
    }
    await this.#client?.end().catch(() => undefined);
    await this.#server[Symbol.asyncDispose]();
  }

  async #writeBatch(shard: Shard, held: Held, batch: Batch): Promise<number> {
    for (;;) {
      try {
        const client = await this.#connection();
        const { rows } = await client.query<{ seq: string }>(batch.statement(held.epoch));
        if (rows[0] === undefined) throw this.#fenced(shard);
        return Number(rows[0].seq);
      } catch (error) {
        if (error instanceof MonError) throw error;
        if (isAnswer(error)) throw databaseError(this.#server.shown, 'write', error);
        const seq = await this.#settle(shard, batch, error);
        if (seq !== undefined) return seq;
      }
    }
  }

  /**
   * Finds out whether a write is there whose answer was lost.
   *
   * @returns its sequence number; undefined: it is not there and will not come, so that it can be made again
   * @throws UnsettledWriteError when the database does not come back in time
   */
  async #settle(shard: Shard, batch: Batch, cause: unknown): Promise<number | undefined> {
    this.#lose(cause);
    const deadline = this.#clock.monotonic() + SETTLE_MS_MAX;
    for (;;) {
      try {
        const client = await this.#connect();
        await this.#take(client, shard);
        const { rows } = await client.query<{ seq: string }>(WRITTEN, [shard.name, batch.id]);
        this.#mend(client);
        return rows[0] === undefined ? undefined : Number(rows[0].seq);
      } catch (error) {
        if (error instanceof MonError && error.code === 'conflict') throw error;
        if (this.#clock.monotonic() < deadline) {
          await new Promise<void>((resolve) => void this.#clock.after(SETTLE_RETRY_MS, resolve));
          continue;
        }
        this.#reopener.start();
        const { message } = databaseError(this.#server.shown, 'write', cause);
        throw new UnsettledWriteError(`${message}; nor can it be asked yet whether the write is there`, cause);
      }
    }
  }

  async #reopen(): Promise<void> {
    if (this.#refusal === undefined) return;
    const client = await this.#connect();
    for (const name of this.#held.keys()) {
      const shard = this.#shard(name);
      await this.#take(client, shard);
    }
    this.#mend(client);
    for (const listener of this.#mendedListeners) listener();
  }

  /** Takes what is held here under the next epoch, and looks whether all is as it was left. */
  async #take(client: Client, shard: Shard): Promise<void> {
    const held = this.#held.get(shard.name);
    if (held === undefined) return;
    const { rows } = await client.query<{ epoch: string; seq: string }>(ACQUIRE, [shard.name, this.#member, held.ttlMs]);
    const [row] = rows;
    if (row === undefined || Number(row.epoch) !== held.epoch + 1) throw this.#fenced(shard);
    held.epoch = Number(row.epoch);
    if (Number(row.seq) < shard.retention.last) throw this.#wentBack(shard, Number(row.seq));
  }

  async #connect(): Promise<Client> {
    const client = await this.#server.connect((error) => {
      if (this.#client === client) this.#lose(error);
    });
    const row = await readStoreRow(client);
    if (row?.id === this.id) return client;
    giveUp(client);
    throw new MonError('unavailable', `the store ${this.#server.shown} is another one by now; restart the backend`);
  }

  /** The connection that writes. */
  async #connection(): Promise<Client> {
    this.#client ??= await this.#connect();
    return this.#client;
  }

  #mend(client: Client): void {
    this.#client = client;
    this.#refusal = undefined;
  }

  /** The connection is of no use any more. Nothing is written until there is another one and the leases were taken again. */
  #lose(error: unknown): void {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) giveUp(client);
    if (this.#closed !== undefined) return;
    this.#refusal ??= databaseError(this.#server.shown, 'write', error);
    this.#reopener.start();
  }

  #hold(name: string, { epoch, ttlMs }: { readonly epoch: number; readonly ttlMs: number }): void {
    this.#held.get(name)?.renewal[Symbol.dispose]();
    const renewal = this.#clock.every(ttlMs / RENEWALS, () => {
      if (this.#refusal !== undefined || this.#closed !== undefined) return;
      this.#inTurn(() => this.#renew(this.#shard(name), epoch)).catch(() => undefined);
    });
    this.#held.set(name, { epoch, ttlMs, renewal });
  }

  async #renew(shard: Shard, epoch: number): Promise<void> {
    const held = this.#held.get(shard.name);
    if (held === undefined || shard.holder !== epoch) throw ended({ name: shard.name, epoch });
    const client = await this.#connection();
    const { rows } = await this.#asked(client.query(RENEW, [shard.name, this.#member, held.epoch, held.ttlMs]), 'write');
    if (rows.length === 0) throw this.#fenced(shard);
  }

  async #release(shard: Shard, epoch: number): Promise<void> {
    const held = this.#held.get(shard.name);
    if (held === undefined || shard.holder !== epoch) return;
    held.renewal[Symbol.dispose]();
    this.#held.delete(shard.name);
    shard.holder = undefined;
    await this.#client?.query(RELEASE, [shard.name, this.#member, held.epoch]).catch(() => undefined);
  }

  /** Somebody else may write: from now on nothing is written here. */
  #fenced(shard: Shard): MonError {
    const held = this.#held.get(shard.name);
    held?.renewal[Symbol.dispose]();
    this.#held.delete(shard.name);
    shard.holder = undefined;
    const problem = new MonError(
      'conflict',
      `the lease of shard ${shard.name} in ${this.#server.shown} was taken by another backend: this one writes no more`,
    );
    this.#refusal = problem;
    return problem;
  }

  #wentBack(shard: Shard, seq: number): MonError {
    const problem = new MonError(
      'conflict',
      `the database ${this.#server.shown} lost writes that were acknowledged: shard ${shard.name} was at ` +
        `${String(shard.retention.last)} and is at ${String(seq)}. A standby that was behind was promoted, or an old copy ` +
        'was put in place; restart the backend to go on with what is there',
    );
    this.#held.get(shard.name)?.renewal[Symbol.dispose]();
    this.#held.delete(shard.name);
    shard.holder = undefined;
    this.#refusal = problem;
    return problem;
  }

  async #heldElsewhere(client: Client, name: string): Promise<MonError> {
    const { rows } = await this.#asked(client.query(HOLDER, [name]), 'read');
    const [row]: { seconds: number }[] = rows;
    return new MonError(
      'conflict',
      `another backend writes to ${this.#server.shown}: its lease is good for ${String(row?.seconds ?? 0)} s, and it renews ` +
        'it; stop that one first',
    );
  }

  /** Awaits an answer of the writing connection, which is lost when none comes. */
  async #asked<T>(answer: Promise<T>, verb: 'read' | 'write'): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!isAnswer(error)) this.#lose(error);
      throw databaseError(this.#server.shown, verb, error);
    }
  }

  async #reading<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw databaseError(this.#server.shown, 'read', error);
    }
  }

  async *#records(shard: string, from: number, to: number): AsyncGenerator<ChangeRecord, void, undefined> {
    for (let next = from; next <= to; ) {
      const { rows } = await this.#reading(
        this.#server.readers.query<{ seq: string; changes: string }>(RECORDS, [shard, next, to, PAGE_RECORDS]),
      );
      for (const { seq, changes } of rows) yield { seq: Number(seq), changes: parseChanges(changes) };
      if (rows.length < PAGE_RECORDS) return;
      next = Number(rows.at(-1)?.seq) + 1;
    }
  }

  #shard(name: string): Shard {
    let shard = this.#shards.get(name);
    if (shard === undefined) {
      shard = emptyShard(name, this.#retention);
      this.#shards.set(name, shard);
    }
    return shard;
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    const turn = this.#lastTurn.then(task);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new BusyError('the store is closed');
  }
}

function ended({ name, epoch }: Pick<Lease, 'name' | 'epoch'>): MonError {
  return new MonError('conflict', `the lease of shard ${name} (epoch ${String(epoch)}) has ended; acquire it again`);
}
