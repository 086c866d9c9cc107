import type { Client } from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import type { Clock, Lease } from '../../ports.ts';
import type { Shard } from '../shard.ts';
import { ACQUIRE_LEASE, SELECT_HOLDER, RELEASE_LEASE, RENEW_LEASE, REACQUIRE_LEASE } from './statements.ts';
import type { WriterConnection } from './writer-connection.ts';

/** Number of renewals of a lease within its validity period. */
const RENEWALS_PER_TTL = 3;

interface LeaseRow {
  readonly epoch: string;
  readonly seq: string;
}

/** A lease that this process holds. */
interface OwnLease {
  readonly shard: Shard;
  readonly ttlMs: number;
  /**
   * The epoch of the lease in the database. It increases after each lost connection, so that the database rejects late
   * statements of the old connection.
   */
  epoch: number;
  /** Sequence number of the last write to the shard when the lease was last acquired. */
  seq: number;
  readonly renewal: Disposable;
  readonly lose: (problem: MonError) => void;
}

interface LeaseDependencies {
  /** The id of this process as a member of the cluster. It is stored as the holder of its leases. */
  readonly member: string;
  /** Hosts and name of the database without credentials, for messages. */
  readonly shown: string;
  readonly clock: Pick<Clock, 'every'>;
  readonly runExclusive: <T>(task: () => Promise<T>) => Promise<T>;
  readonly connection: WriterConnection;
}

/** The leases that this process holds. Each lease is renewed until it is released or lost. */
export class OwnLeases implements Disposable {
  readonly #parts: LeaseDependencies;
  readonly #byName = new Map<string, OwnLease>();

  constructor(parts: LeaseDependencies) {
    this.#parts = parts;
  }

  /**
   * Returns the epoch of a lease in the database, and the milliseconds for which each write extends the lease.
   *
   * @throws MonError `conflict` if this process no longer holds the lease
   */
  currentLease({ name, epoch }: Pick<Lease, 'name' | 'epoch'>): { readonly epoch: number; readonly ttlMs: number } {
    const lease = this.#byName.get(name);
    if (lease?.shard.holder === epoch) return lease;
    throw new MonError(
      'conflict',
      `the lease of shard ${name} (epoch ${String(epoch)}) has expired: acquire the lease again`,
    );
  }

  /**
   * Acquires the lease of a shard. It also succeeds if this process already holds the lease. Call it only inside
   * `runExclusive`, while no write is in progress.
   *
   * @returns the lease, and the sequence number of the last write under any lease of the shard
   * @throws MonError `conflict` if another process holds the lease
   */
  async acquire(shard: Shard, ttlMs: number): Promise<{ readonly lease: Lease; readonly seq: number }> {
    const { name } = shard;
    const { rows } = await this.#parts.connection.runStatement((client) =>
      client.query<LeaseRow>(ACQUIRE_LEASE, [name, this.#parts.member, ttlMs]),
    );
    const [row] = rows;
    if (row === undefined) throw await this.#conflictWithHolder(name);
    const epoch = Number(row.epoch);
    shard.epoch = epoch;
    shard.holder = epoch;
    this.#byName.get(name)?.renewal[Symbol.dispose]();
    const renew = (): Promise<void> => this.#parts.runExclusive(() => this.#renew({ name, epoch }));
    const { promise: lost, resolve: lose } = Promise.withResolvers<MonError>();
    const renewal = this.#parts.clock.every(ttlMs / RENEWALS_PER_TTL, () => {
      if (this.#parts.connection.refusal === undefined) renew().catch(() => undefined);
    });
    const seq = Number(row.seq);
    this.#byName.set(name, { shard, ttlMs, epoch, seq, renewal, lose });
    const release = (): Promise<void> => this.release({ name, epoch });
    return { lease: { name, epoch, lost, renew, release }, seq };
  }

  /**
   * Acquires all leases again on a new connection, each under its next epoch. This waits for a running statement of the
   * old connection; later statements of that connection are rejected because of their old epoch.
   *
   * @throws MonError `conflict` if another process acquired a lease meanwhile, or the database has lost acknowledged
   *   writes
   */
  async reacquireAll(client: Client): Promise<void> {
    for (const lease of this.#byName.values()) {
      const { shard, ttlMs } = lease;
      const { rows } = await client.query<LeaseRow>(REACQUIRE_LEASE, [shard.name, this.#parts.member, ttlMs]);
      const [row] = rows;
      if (row === undefined) throw this.endLostLease(shard.name);
      lease.epoch = Number(row.epoch);
      lease.seq = Number(row.seq);
      const { last } = shard.retention;
      if (lease.seq < last) throw this.#end(lease, this.#wentBack(shard.name, last, lease.seq));
    }
  }

  /**
   * Verifies that the database holds no write that is unknown to this process. Call it after `reacquireAll`, while no
   * write waits for its outcome.
   *
   * @throws MonError `conflict` if the database holds a write that failed for its caller because the outcome was
   * unknown. This process never applied the changes and handler jobs of that write, so the next leader must read them
   * from the store.
   */
  refuseUnreportedWrites(): void {
    for (const lease of this.#byName.values()) {
      if (lease.seq > lease.shard.retention.last) throw this.#end(lease, this.#unreportedWrite(lease.shard.name));
    }
  }

  /**
   * Ends a lease that another process has possibly acquired, and rejects all further writes of this process.
   *
   * @returns the error to throw
   */
  endLostLease(name: string): MonError {
    const problem = new MonError(
      'conflict',
      `the lease of shard ${name} in ${this.#parts.shown} was acquired by another backend: this backend no longer writes`,
    );
    const lease = this.#byName.get(name);
    return lease === undefined ? problem : this.#end(lease, problem);
  }

  /**
   * Releases a lease, unless it has already ended.
   *
   * @param to the id of the member that may acquire the lease first; undefined if any member may
   */
  release(lease: Pick<Lease, 'name' | 'epoch'>, to?: string): Promise<void> {
    return this.#parts.runExclusive(() => this.#release(lease, to));
  }

  /** Releases all leases, so that other members can acquire them before their expiry. */
  async releaseAll(): Promise<void> {
    for (const [name, { shard }] of this.#byName) {
      if (shard.holder !== undefined) await this.#release({ name, epoch: shard.holder });
    }
  }

  [Symbol.dispose](): void {
    for (const { renewal } of this.#byName.values()) renewal[Symbol.dispose]();
  }

  #end(lease: OwnLease, problem: MonError): MonError {
    lease.renewal[Symbol.dispose]();
    this.#byName.delete(lease.shard.name);
    lease.shard.holder = undefined;
    this.#parts.connection.rejectWrites(problem);
    lease.lose(problem);
    return problem;
  }

  async #renew(lease: Pick<Lease, 'name' | 'epoch'>): Promise<void> {
    const { epoch, ttlMs } = this.currentLease(lease);
    const { rowCount } = await this.#parts.connection.runStatement((client) =>
      client.query(RENEW_LEASE, [lease.name, this.#parts.member, epoch, ttlMs]),
    );
    if (rowCount === 0) throw this.endLostLease(lease.name);
  }

  async #release({ name, epoch }: Pick<Lease, 'name' | 'epoch'>, to?: string): Promise<void> {
    const own = this.#byName.get(name);
    if (own?.shard.holder !== epoch) return;
    own.renewal[Symbol.dispose]();
    this.#byName.delete(name);
    own.shard.holder = undefined;
    if (this.#parts.connection.refusal !== undefined) return;
    // An error is ignored, because the lease then ends by its expiry.
    await this.#parts.connection
      .runStatement((client) => client.query(RELEASE_LEASE, [name, this.#parts.member, own.epoch, to ?? null]))
      .catch(() => undefined);
  }

  async #conflictWithHolder(name: string): Promise<MonError> {
    const { rows } = await this.#parts.connection.runStatement(
      (client) => client.query<{ seconds: number }>(SELECT_HOLDER, [name]),
      'read',
    );
    return new MonError(
      'conflict',
      `another backend writes to ${this.#parts.shown} and renews its lease: stop that backend first ` +
        `(the lease expires in ${String(rows[0]?.seconds ?? 0)} s)`,
    );
  }

  #unreportedWrite(name: string): MonError {
    return new MonError(
      'conflict',
      `the database ${this.#parts.shown} was unavailable: a write to shard ${name} that timed out was committed after all: ` +
        'this backend stops, and reads that write after its restart',
    );
  }

  #wentBack(name: string, last: number, seq: number): MonError {
    return new MonError(
      'conflict',
      `the database ${this.#parts.shown} lost writes that were acknowledged: shard ${name} went back from sequence number ${String(last)} to ` +
        `${String(seq)}. A lagging standby was promoted, or an old copy was restored; this backend restarts with the ` +
        'remaining data',
    );
  }
}
