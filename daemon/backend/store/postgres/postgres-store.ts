import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { BusyError, MonError } from '../../../../shared/errors.ts';
import { SystemClock } from '../../../clock/system-clock.ts';
import type { Change, ChangeRecord, Clock, Key, Lease, StoreOp } from '../../ports.ts';
import { parseChanges } from '../change-record.ts';
import { MIGRATIONS, schemaAfterMigrations } from '../migrations/list.ts';
import type { Migration } from '../migrations/migration.ts';
import { convertEntries, PendingMigrations, convertValues } from '../migrations/pending-migrations.ts';
import { RETENTION_DEFAULT, type RetentionLimits } from '../retention.ts';
import { scanRange } from '../scan-range.ts';
import type { SharedStore, MemberStanding, StoreSnapshot, MemberAnnouncement, WrittenPage } from '../shared-store.ts';
import { emptyShard, type Shard } from '../shard.ts';
import { watchShard } from '../watch-shard.ts';
import { UnsettledWriteError } from '../unsettled-write.ts';
import { batchOf, type Batch } from './batch.ts';
import { databaseError, isServerResponse, openingError } from './database-error.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { readValues } from './entries-query.ts';
import { OwnLeases } from './own-leases.ts';
import { readRetention, readShards } from './read-shards.ts';
import { ensureTables, type StoreRow } from './open-postgres.ts';
import { refuseTransactionPooling } from './pooling.ts';
import { PostgresSchema } from './postgres-schema.ts';
import { OlderPrograms } from './older-programs.ts';
import { PostgresUpgradeTarget, type StatementRunner } from './postgres-upgrade-target.ts';
import { DatabaseServer, closeConnection } from './server.ts';
import { PostgresMembers } from './members.ts';
import { entriesOfSnapshot, openFullSnapshot, Snapshot } from './snapshot.ts';
import { SELECT_RECORDS, SELECT_SIZE, FIND_BATCH } from './statements.ts';
import { SerialQueue } from '../serial-queue.ts';
import { WriterConnection } from './writer-connection.ts';

export interface PostgresStoreOptions {
  /** Limits on the change records that are retained, and that `watch` can therefore replay. */
  readonly retention?: RetentionLimits;
  /** Clock for the timers of reconnection, lease renewal and write retries. Default: the system clock. */
  readonly clock?: Pick<Clock, 'after' | 'every' | 'monotonic'>;
  /**
   * Timeout in milliseconds for the response to a statement that writes. After it the connection counts as lost.
   * Default: ten seconds.
   */
  readonly responseTimeoutMs?: number;
  /**
   * Maximum time in milliseconds for finding out whether a write was stored, if its response was lost. After that time
   * the write fails. Default: five seconds.
   */
  readonly outcomeTimeoutMs?: number;
  /** The migrations that lead to the newest schema. Default: all migrations of this program; tests pass other lists. */
  readonly migrations?: readonly Migration[];
}

/**
 * Time in milliseconds that the write queue waits for a response of the database, after which new writes are rejected.
 */
const STALL_MS_MAX = 5000;

const SETTLE_MS_MAX = 5000;
const SETTLE_RETRY_MS = 100;

/** Maximum number of change records that one query reads. */
const PAGE_RECORDS = 1000;

/**
 * Opens the store in a PostgreSQL database, which several backends can share. If the database is empty, its tables are
 * created.
 *
 * @throws MonError `invalid` if the setting is malformed, or an operator must fix the rights or the content of the
 *   database; `unavailable` if the database cannot be reached
 */
export async function openPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<PostgresStore> {
  const server = new DatabaseServer(parseDatabaseUrl(url), options.responseTimeoutMs);
  let client: Client | undefined;
  try {
    client = await server.connect(() => undefined);
    await refuseTransactionPooling(server, client);
    const row = await ensureTables(client, server.shown, schemaAfterMigrations(options.migrations ?? MIGRATIONS));
    if (row.copying !== null) throw copiedInPart(server.shown);
    const shards = await readShards(client, options.retention ?? RETENTION_DEFAULT);
    return new PostgresStore(server, row, shards, options);
  } catch (error) {
    throw openingError(server.shown, error);
  } finally {
    if (client !== undefined) closeConnection(client);
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
 * process has acquired the lease. So a process that was suspended meanwhile cannot overwrite newer data.
 *
 * If the response to a write is lost, the process acquires its leases again under a later epoch. Then it looks up the
 * write in the database, and repeats it if it is not there.
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
  /** Queue that runs writes and lease operations one after the other. */
  readonly #writeQueue = new SerialQueue();
  /** Time on the monotonic clock since which the task at the head of the write queue runs; undefined if it is idle. */
  #busySinceMs: number | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    server: DatabaseServer,
    { id, schema, secret }: StoreRow,
    shards: Map<string, Shard>,
    {
      retention = RETENTION_DEFAULT,
      clock = new SystemClock(),
      outcomeTimeoutMs: settleMs = SETTLE_MS_MAX,
      migrations = MIGRATIONS,
    }: PostgresStoreOptions = {},
  ) {
    this.id = id;
    this.shown = server.shown;
    this.secret = secret;
    this.#server = server;
    const onSchema = (version: number): void => this.#noteSchema(version);
    const newest = schemaAfterMigrations(migrations);
    this.#members = new PostgresMembers(server, { id: this.self, newestSchema: newest, onSchema });
    this.#shards = shards;
    this.#retention = retention;
    this.#settleMs = settleMs;
    this.#clock = clock;
    const runExclusive = <T>(task: () => Promise<T>): Promise<T> => this.#runExclusive(task);
    this.#connection = new WriterConnection(server, {
      storeId: id,
      runExclusive,
      restore: (client) => this.#leases.reacquireAll(client),
      verify: () => this.#leases.refuseUnreportedWrites(),
      onSchema,
      clock,
    });
    const { shown } = server;
    this.#leases = new OwnLeases({ member: this.self, shown, clock, runExclusive, connection: this.#connection });
    const older = new OlderPrograms({ server, self: this.self, newest });
    const write: StatementRunner = (statement) => runExclusive(() => this.#connection.runStatement(statement));
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
    // The snapshot is opened in the write queue. So it contains all writes of this process that were called before the
    // scan, and none that were called later.
    const opening = this.#runExclusive(() => this.#reading(Snapshot.open(this.#server.readers, range)));
    // Prevents an unhandled rejection; the error is thrown where the entries are read.
    opening.catch(() => undefined);
    return convertEntries(entriesOfSnapshot(opening), read);
  }

  async getMany(keys: readonly Key[]): Promise<(string | undefined)[]> {
    this.#assertOpen();
    const read = this.schema.reader();
    return convertValues(keys, await this.#reading(readValues(this.#server.readers, keys)), read);
  }

  /**
   * Whether results can be stored as amendments (differences to the stored result): never in PostgreSQL, because
   * followers read the full value of each changed key.
   */
  get canAmend(): boolean {
    return false;
  }

  lastSeq(shard: string): number {
    return this.#shards.get(shard)?.retention.last ?? 0;
  }

  async write(lease: Lease, ops: readonly StoreOp[], changes: readonly Change[]): Promise<number> {
    return this.#runExclusive(async () => {
      const { ttlMs } = this.#leases.currentLease(lease);
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
      // Another process may have written to the shard since this process last read its change records.
      if (seq !== shard.retention.last) {
        shard.retention = await this.#connection.runStatement(
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

  async writtenAfter(shard: string, seq: number, limit: number): Promise<WrittenPage> {
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

  async meet(shard: string, announcement: MemberAnnouncement | undefined): Promise<MemberStanding> {
    this.#assertOpen();
    return this.#members.meet(shard, announcement);
  }

  async leave(): Promise<void> {
    await this.#members.leave();
  }

  async removeMember(id: string): Promise<void> {
    this.#assertOpen();
    await this.#members.remove(id);
  }

  get refusal(): MonError | undefined {
    return this.#connection.refusal ?? this.#stall();
  }

  onMended(listener: () => void): Disposable {
    return this.#connection.onWritable(listener);
  }

  /** Returns the disk space in bytes of entries and change records in the database, with their indexes. */
  async bytes(): Promise<number> {
    const { rows } = await this.#reading(this.#server.readers.query<{ bytes: string }>(SELECT_SIZE));
    return Number(rows[0]?.bytes ?? 0);
  }

  async close(): Promise<void> {
    this.#closed ??= this.#closeAfter(this.#writeQueue.allDone);
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
        const { rows } = await client.query<{ seq: string }>(batch.statement(this.#leases.currentLease(lease).epoch));
        if (rows[0] === undefined) throw this.#leases.endLostLease(lease.name);
        return Number(rows[0].seq);
      } catch (error) {
        if (error instanceof MonError) throw error;
        if (isServerResponse(error)) throw databaseError(this.#server.shown, 'write', error);
        const seq = await this.#settle(lease.name, batch, error);
        if (seq !== undefined) return seq;
      }
    }
  }

  /**
   * Finds out whether the database holds a write whose response was lost.
   *
   * @returns the sequence number of the write; undefined if the database does not hold it and will not store it later,
   *   so that the write can be repeated
   * @throws UnsettledWriteError if the database does not respond in time
   * @throws MonError `conflict` if a lease was lost and the database does not hold the write
   */
  async #settle(shard: string, batch: Batch, cause: unknown): Promise<number | undefined> {
    this.#connection.markLost(cause);
    const deadline = this.#clock.monotonic() + this.#settleMs;
    for (;;) {
      try {
        return await this.#connection.again(async (client) => {
          const { rows } = await client.query<{ seq: string }>(FIND_BATCH, [shard, batch.id]);
          return rows[0] === undefined ? undefined : Number(rows[0].seq);
        });
      } catch (error) {
        if (error instanceof MonError && error.code === 'conflict') {
          // A lease was lost, so no later write of this process can succeed. But this write may have been stored
          // before.
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

  /** Returns the sequence number under which a batch is stored; undefined if the database does not hold the batch. */
  async #written(shard: string, batch: Batch): Promise<number | undefined> {
    const { rows } = await this.#reading(this.#server.readers.query<{ seq: string }>(FIND_BATCH, [shard, batch.id]));
    return rows[0] === undefined ? undefined : Number(rows[0].seq);
  }

  /**
   * Applies the schema version that was read from the store. If this program does not support that version, all further
   * writes are rejected.
   *
   * @throws MonError `invalid` if `version` is newer than the newest one that this program knows
   */
  #noteSchema(version: number): void {
    try {
      this.schema.setVersion(version);
    } catch (error) {
      if (error instanceof MonError) this.#connection.rejectWrites(error);
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
        this.#server.readers.query<{ seq: string; changes: string }>(SELECT_RECORDS, [shard, next, to, PAGE_RECORDS]),
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
    return await this.#writeQueue.run(async () => {
      this.#busySinceMs = this.#clock.monotonic();
      try {
        return await task();
      } finally {
        this.#busySinceMs = undefined;
      }
    });
  }

  /** Returns the reason to reject new writes if the database has not responded to the current task for a while. */
  #stall(): MonError | undefined {
    const waitedMs = this.#busySinceMs === undefined ? 0 : this.#clock.monotonic() - this.#busySinceMs;
    if (waitedMs < STALL_MS_MAX) return undefined;
    const seconds = Math.floor(waitedMs / 1000);
    return new MonError('unavailable', `the store ${this.shown} has not responded for ${String(seconds)} s`);
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new BusyError('the store is closed');
  }
}
