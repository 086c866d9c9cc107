import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { BusyError, MonError } from '../../../../shared/errors.ts';
import { SystemClock } from '../../../clock/system-clock.ts';
import type { Change, ChangeRecord, Clock, Key, Lease, StoreOp } from '../../ports.ts';
import { parseChanges } from '../change-record.ts';
import { MIGRATIONS, newestSchema } from '../migrations/list.ts';
import type { Migration } from '../migrations/migration.ts';
import { entriesThrough, PendingMigrations, valuesThrough } from '../migrations/pending-migrations.ts';
import { RETENTION_DEFAULT, type RetentionLimits } from '../retention.ts';
import { scanRange } from '../scan-range.ts';
import type { SharedStore, Standing, StoreSnapshot, MemberAnnouncement, Written } from '../shared-store.ts';
import { emptyShard, type Shard } from '../shard.ts';
import { watchShard } from '../watch-shard.ts';
import { UnsettledWriteError } from '../unsettled-write.ts';
import { batchOf, type Batch } from './batch.ts';
import { databaseError, isAnswer, openingError } from './database-error.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { readValues } from './entries-query.ts';
import { OwnLeases } from './own-leases.ts';
import { readRetention, readShards } from './read-shards.ts';
import { ensureTables, type StoreRow } from './open-postgres.ts';
import { PostgresSchema } from './postgres-schema.ts';
import { OlderPrograms } from './older-programs.ts';
import { PostgresUpgradeTarget, type StatementRunner } from './postgres-upgrade-target.ts';
import { DatabaseServer, giveUp } from './server.ts';
import { PostgresMembers } from './members.ts';
import { entriesOfSnapshot, openFullSnapshot, Snapshot } from './snapshot.ts';
import { RECORDS, SIZE, WRITTEN } from './statements.ts';
import { SerialQueue } from '../serial-queue.ts';
import { WriterConnection } from './writer-connection.ts';

export interface PostgresStoreOptions {
  /** Limits of the retained change records, from which `watch` can begin. */
  readonly retention?: RetentionLimits;
  /** Clock for reconnecting to the database and renewing leases. Default: the clock of the machine. */
  readonly clock?: Pick<Clock, 'after' | 'every' | 'monotonic'>;
  /**
   * Timeout in milliseconds for the response to a write, after which its connection counts as cut. Default: ten
   * seconds.
   */
  readonly answerMs?: number;
  /**
   * Maximum time in milliseconds that the caller of a write whose response was lost waits for the outcome. Default:
   * five seconds.
   */
  readonly settleMs?: number;
  /** The migrations that lead to the newest schema. Default: all; tests pass others. */
  readonly migrations?: readonly Migration[];
}

const SETTLE_MS_MAX = 5000;
const SETTLE_RETRY_MS = 100;

/** Number of change records read at a time. */
const PAGE_RECORDS = 1000;

/**
 * Opens the store of all backends that use the same database.
 *
 * @throws MonError `invalid` if the setting, the rights or the content of the database is wrong, `unavailable` if it
 *   cannot be reached
 */
export async function openPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<PostgresStore> {
  const server = new DatabaseServer(parseDatabaseUrl(url), options.answerMs);
  let client: Client | undefined;
  try {
    client = await server.connect(() => undefined);
    const row = await ensureTables(client, server.shown, newestSchema(options.migrations ?? MIGRATIONS));
    if (row.copying !== null) throw copiedInPart(server.shown);
    const shards = await readShards(client, options.retention ?? RETENTION_DEFAULT);
    return new PostgresStore(server, row, shards, options);
  } catch (error) {
    throw openingError(server.shown, error);
  } finally {
    if (client !== undefined) giveUp(client);
  }
}

function copiedInPart(shown: string): MonError {
  return new MonError(
    'invalid',
    `the store ${shown} was only partially copied: run mon-backend migrate-store with the same --from and --to again`,
  );
}

/**
 * A store in PostgreSQL. Each write is one statement, which updates the row of the lease and does nothing if another
 * process holds the lease by now. So a process that was stopped for a minute can write nothing. If the response to a
 * write is lost, the lease is acquired again under a later epoch. Then the database says whether it holds the write; if
 * not, the write is repeated.
 */
export class PostgresStore implements SharedStore {
  readonly id: string;
  readonly self = randomUUID();
  readonly shown: string;
  readonly secret: string;
  readonly schema: PostgresSchema;
  readonly #server: DatabaseServer;
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly #retention: RetentionLimits;
  readonly #settleMs: number;
  readonly #shards: Map<string, Shard>;
  readonly #connection: WriterConnection;
  readonly #leases: OwnLeases;
  readonly #members: PostgresMembers;
  /** Serializes the writes. */
  readonly #writeQueue = new SerialQueue();
  #closed: Promise<void> | undefined;

  constructor(
    server: DatabaseServer,
    { id, schema, secret }: StoreRow,
    shards: Map<string, Shard>,
    {
      retention = RETENTION_DEFAULT,
      clock = new SystemClock(),
      settleMs = SETTLE_MS_MAX,
      migrations = MIGRATIONS,
    }: PostgresStoreOptions = {},
  ) {
    this.id = id;
    this.shown = server.shown;
    this.secret = secret;
    this.#server = server;
    const onSchema = (version: number): void => this.#noteSchema(version);
    const newest = newestSchema(migrations);
    this.#members = new PostgresMembers(server, { id: this.self, newestSchema: newest, onSchema });
    this.#shards = shards;
    this.#retention = retention;
    this.#settleMs = settleMs;
    this.#clock = clock;
    const runExclusive = <T>(task: () => Promise<T>): Promise<T> => this.#runExclusive(task);
    this.#connection = new WriterConnection(server, {
      storeId: id,
      runExclusive,
      restore: (client) => this.#leases.retake(client),
      verify: () => this.#leases.refuseUnreportedWrites(),
      onSchema,
      clock,
    });
    const { shown } = server;
    this.#leases = new OwnLeases({ member: this.self, shown, clock, runExclusive, connection: this.#connection });
    const older = new OlderPrograms({ server, self: this.self, newest });
    const write: StatementRunner = (statement) => runExclusive(() => this.#connection.ask(statement));
    const target = new PostgresUpgradeTarget({ server, write, verify: (client) => older.refuse(client), clock });
    const pending = new PendingMigrations(target, schema, migrations);
    this.schema = new PostgresSchema(server, { pending, older, write });
  }

  scan(
    prefix: Key,
    options: { readonly after?: Key; readonly limit?: number } = {},
  ): AsyncIterable<readonly [Key, string]> {
    this.#assertOpen();
    const range = scanRange(prefix, options);
    const read = this.schema.reader();
    // Opened between two writes, so that it shows the moment of the call.
    const opening = this.#runExclusive(() => this.#reading(Snapshot.open(this.#server.readers, range)));
    // The reader of the entries gets the error.
    opening.catch(() => undefined);
    return entriesThrough(entriesOfSnapshot(opening), read);
  }

  async getMany(keys: readonly Key[]): Promise<(string | undefined)[]> {
    this.#assertOpen();
    const read = this.schema.reader();
    return valuesThrough(keys, await this.#reading(readValues(this.#server.readers, keys)), read);
  }

  /** False, because members follow each other by full values. */
  get canAmend(): boolean {
    return false;
  }

  lastSeq(shard: string): number {
    return this.#shards.get(shard)?.retention.last ?? 0;
  }

  async write(lease: Lease, ops: readonly StoreOp[], changes: readonly Change[]): Promise<number> {
    return this.#runExclusive(async () => {
      const { ttlMs } = this.#leases.of(lease);
      const shard = this.#shard(lease.name);
      const batch = batchOf(shard, { id: this.self, ttlMs }, ops, changes);
      const { refusal } = this.#connection;
      if (refusal !== undefined) throw refusal;
      const seq = await this.#writeBatch(lease, batch);
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
    return watchShard(afterSeq, listener, (watcher) =>
      this.#runExclusive(async () => {
        const shard = this.#shard(shardName);
        const { first, last } = shard.retention;
        shard.watchers.add(watcher);
        return { shard, first, past: this.#records(shardName, Math.max(first, afterSeq + 1), last) };
      }),
    );
  }

  async acquire(name: string, ttlMs: number): Promise<Lease> {
    return this.#runExclusive(async () => {
      const shard = this.#shard(name);
      const { lease, seq } = await this.#leases.acquire(shard, ttlMs);
      // Another process may have written since this process opened the store.
      if (seq !== shard.retention.last) {
        shard.retention = await this.#connection.ask(
          (client) => readRetention(client, name, seq, this.#retention),
          'read',
        );
      }
      return lease;
    });
  }

  async snapshot(shard: string): Promise<StoreSnapshot> {
    this.#assertOpen();
    const read = this.schema.reader();
    return this.#reading(openFullSnapshot(this.#server.readers, shard, { shown: this.#server.shown, read }));
  }

  async writtenAfter(shard: string, seq: number, limit: number): Promise<Written> {
    this.#assertOpen();
    return this.#members.writtenAfter(shard, seq, limit);
  }

  onWritten(listener: () => void): Disposable {
    return this.#members.onWritten(listener);
  }

  onReleased(listener: () => void): Disposable {
    return this.#members.onReleased(listener);
  }

  async offer(lease: Lease, to: string | undefined): Promise<void> {
    await this.#leases.release(lease, to);
  }

  async meet(shard: string, announcement: MemberAnnouncement | undefined): Promise<Standing> {
    this.#assertOpen();
    return this.#members.meet(shard, announcement);
  }

  async leave(): Promise<void> {
    await this.#members.leave();
  }

  get refusal(): MonError | undefined {
    return this.#connection.refusal;
  }

  onMended(listener: () => void): Disposable {
    return this.#connection.onMended(listener);
  }

  /** Returns the bytes that the store occupies on the disk of the database. */
  async bytes(): Promise<number> {
    const { rows } = await this.#reading(this.#server.readers.query<{ bytes: string }>(SIZE));
    return Number(rows[0]?.bytes ?? 0);
  }

  async close(): Promise<void> {
    this.#closed ??= this.#closeAfter(this.#writeQueue.over);
    return this.#closed;
  }

  async #closeAfter(pendingWrites: Promise<unknown>): Promise<void> {
    await pendingWrites;
    this.#leases[Symbol.dispose]();
    await this.#leases.releaseAll();
    await this.#connection[Symbol.asyncDispose]();
    await this.#members[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }

  async #writeBatch(lease: Lease, batch: Batch): Promise<number> {
    for (;;) {
      try {
        const client = await this.#connection.client();
        const { rows } = await client.query<{ seq: string }>(batch.statement(this.#leases.of(lease).epoch));
        if (rows[0] === undefined) throw this.#leases.lose(lease.name);
        return Number(rows[0].seq);
      } catch (error) {
        if (error instanceof MonError) throw error;
        if (isAnswer(error)) throw databaseError(this.#server.shown, 'write', error);
        const seq = await this.#settle(lease.name, batch, error);
        if (seq !== undefined) return seq;
      }
    }
  }

  /**
   * Finds out whether the database holds a write whose response was lost.
   *
   * @returns its sequence number; undefined: it is not there and will not appear, so that it can be repeated
   * @throws UnsettledWriteError if the database does not come back in time
   */
  async #settle(shard: string, batch: Batch, cause: unknown): Promise<number | undefined> {
    this.#connection.lose(cause);
    const deadline = this.#clock.monotonic() + this.#settleMs;
    for (;;) {
      try {
        return await this.#connection.again(async (client) => {
          const { rows } = await client.query<{ seq: string }>(WRITTEN, [shard, batch.id]);
          return rows[0] === undefined ? undefined : Number(rows[0].seq);
        });
      } catch (error) {
        if (error instanceof MonError && error.code === 'conflict') {
          // No later write of this process can succeed, but this one may have succeeded in time.
          const seq = await this.#written(shard, batch);
          if (seq === undefined) throw error;
          return seq;
        }
        if (this.#clock.monotonic() >= deadline) {
          const { message } = databaseError(this.#server.shown, 'write', cause);
          throw new UnsettledWriteError(`${message}; it is not known yet whether the write was stored`, cause);
        }
      }
      await new Promise<void>((resolve) => void this.#clock.after(SETTLE_RETRY_MS, resolve));
    }
  }

  /** Returns the sequence number of a batch; undefined: the database does not hold it. */
  async #written(shard: string, batch: Batch): Promise<number | undefined> {
    const { rows } = await this.#reading(this.#server.readers.query<{ seq: string }>(WRITTEN, [shard, batch.id]));
    return rows[0] === undefined ? undefined : Number(rows[0].seq);
  }

  /**
   * Notes the schema that the store has by now. A program that is older than the store writes no more.
   *
   * @throws MonError `invalid` if the program is older
   */
  #noteSchema(version: number): void {
    try {
      this.schema.setVersion(version);
    } catch (error) {
      if (error instanceof MonError) this.#connection.refuse(error);
      throw error;
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
    for (let next = from; next <= to;) {
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

  async #runExclusive<T>(task: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    return await this.#writeQueue.take(task);
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new BusyError('the store is closed');
  }
}
