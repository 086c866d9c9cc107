import type { Client } from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import type { Clock, Lease } from '../../ports.ts';
import type { Shard } from '../shard.ts';
import { ACQUIRE, HOLDER, RELEASE, RENEW, RETAKE } from './statements.ts';
import type { WriterConnection } from './writer-connection.ts';

/** A lease is renewed this often while it is good for. */
const RENEWALS = 3;

interface LeaseRow {
  readonly epoch: string;
  readonly seq: string;
}

/** A lease as it stands. */
interface Held {
  readonly shard: Shard;
  readonly ttlMs: number;
  /** In the database. It rises when the connection was lost: whatever the old one still brings is shut out. */
  epoch: number;
  /** Of the last write, as it was when the lease was taken. */
  seq: number;
  readonly renewal: Disposable;
  readonly lose: (problem: MonError) => void;
}

interface LeaseParts {
  /** Names this process among those that want a lease. */
  readonly member: string;
  /** The database, for messages. */
  readonly shown: string;
  readonly clock: Pick<Clock, 'every'>;
  readonly inTurn: <T>(task: () => Promise<T>) => Promise<T>;
  readonly connection: WriterConnection;
}

/** The leases that this process has, each renewed until it is released or lost. */
export class HeldLeases implements Disposable {
  readonly #parts: LeaseParts;
  readonly #held = new Map<string, Held>();

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /**
   * What a write under a lease is made with.
   *
   * @throws MonError `conflict` when the lease has ended
   */
  of({ name, epoch }: Pick<Lease, 'name' | 'epoch'>): { readonly epoch: number; readonly ttlMs: number } {
    const held = this.#held.get(name);
    if (held?.shard.holder === epoch) return held;
    throw new MonError('conflict', `the lease of shard ${name} (epoch ${String(epoch)}) has ended; acquire it again`);
  }

  /**
   * In turn. This process may take it anew; another one only when it was released or has run out.
   *
   * @returns the lease, and the number of the last write under any
   * @throws MonError `conflict`
   */
  async acquire(shard: Shard, ttlMs: number): Promise<{ readonly lease: Lease; readonly seq: number }> {
    const { name } = shard;
    const { rows } = await this.#parts.connection.ask((client) =>
      client.query<LeaseRow>(ACQUIRE, [name, this.#parts.member, ttlMs]),
    );
    const [row] = rows;
    if (row === undefined) throw await this.#heldElsewhere(name);
    const epoch = Number(row.epoch);
    shard.epoch = epoch;
    shard.holder = epoch;
    this.#held.get(name)?.renewal[Symbol.dispose]();
    const renew = (): Promise<void> => this.#parts.inTurn(() => this.#renew({ name, epoch }));
    const { promise: lost, resolve: lose } = Promise.withResolvers<MonError>();
    const renewal = this.#parts.clock.every(ttlMs / RENEWALS, () => {
      if (this.#parts.connection.refusal === undefined) renew().catch(() => undefined);
    });
    const seq = Number(row.seq);
    this.#held.set(name, { shard, ttlMs, epoch, seq, renewal, lose });
    const release = (): Promise<void> => this.release({ name, epoch });
    return { lease: { name, epoch, lost, renew, release }, seq };
  }

  /**
   * Takes all of them under their next epochs, on a new connection. That waits for what the old one is still doing, and
   * shuts out what it has not begun.
   *
   * @throws MonError `conflict` when somebody else took one meanwhile, or what was acknowledged is gone
   */
  async retake(client: Client): Promise<void> {
    for (const held of this.#held.values()) {
      const { shard, ttlMs } = held;
      const { rows } = await client.query<LeaseRow>(RETAKE, [shard.name, this.#parts.member, ttlMs]);
      const [row] = rows;
      if (row === undefined) throw this.lose(shard.name);
      held.epoch = Number(row.epoch);
      held.seq = Number(row.seq);
      const { last } = shard.retention;
      if (held.seq < last) throw this.#end(held, this.#wentBack(shard.name, last, held.seq));
    }
  }

  /**
   * After all were taken again, while no write waits for its outcome.
   *
   * @throws MonError `conflict` when a write is there whose caller could not wait until that was known: of its changes and
   *   its handler jobs nobody here has heard, so whoever begins anew takes them from the store
   */
  refuseUntold(): void {
    for (const held of this.#held.values()) {
      if (held.seq > held.shard.retention.last) throw this.#end(held, this.#untold(held.shard.name));
    }
  }

  /** Somebody else may write to a shard: from now on nothing is written here. */
  lose(name: string): MonError {
    const problem = new MonError(
      'conflict',
      `the lease of shard ${name} in ${this.#parts.shown} was acquired by another backend: this one no longer writes`,
    );
    const held = this.#held.get(name);
    return held === undefined ? problem : this.#end(held, problem);
  }

  /** @param to who is to come next; undefined: anybody */
  release(lease: Pick<Lease, 'name' | 'epoch'>, to?: string): Promise<void> {
    return this.#parts.inTurn(() => this.#release(lease, to));
  }

  /** So that nobody who waits for one has to wait until it runs out. */
  async releaseAll(): Promise<void> {
    for (const [name, { shard }] of this.#held) {
      if (shard.holder !== undefined) await this.#release({ name, epoch: shard.holder });
    }
  }

  [Symbol.dispose](): void {
    for (const { renewal } of this.#held.values()) renewal[Symbol.dispose]();
  }

  #end(held: Held, problem: MonError): MonError {
    held.renewal[Symbol.dispose]();
    this.#held.delete(held.shard.name);
    held.shard.holder = undefined;
    this.#parts.connection.refuse(problem);
    held.lose(problem);
    return problem;
  }

  async #renew(lease: Pick<Lease, 'name' | 'epoch'>): Promise<void> {
    const { epoch, ttlMs } = this.of(lease);
    const { rowCount } = await this.#parts.connection.ask((client) =>
      client.query(RENEW, [lease.name, this.#parts.member, epoch, ttlMs]),
    );
    if (rowCount === 0) throw this.lose(lease.name);
  }

  async #release({ name, epoch }: Pick<Lease, 'name' | 'epoch'>, to?: string): Promise<void> {
    const held = this.#held.get(name);
    if (held?.shard.holder !== epoch) return;
    held.renewal[Symbol.dispose]();
    this.#held.delete(name);
    held.shard.holder = undefined;
    if (this.#parts.connection.refusal !== undefined) return;
    // When it cannot be said, it runs out.
    await this.#parts.connection
      .ask((client) => client.query(RELEASE, [name, this.#parts.member, held.epoch, to ?? null]))
      .catch(() => undefined);
  }

  async #heldElsewhere(name: string): Promise<MonError> {
    const { rows } = await this.#parts.connection.ask(
      (client) => client.query<{ seconds: number }>(HOLDER, [name]),
      'read',
    );
    return new MonError(
      'conflict',
      `another backend writes to ${this.#parts.shown}: its lease expires in ${String(rows[0]?.seconds ?? 0)} s, and it renews it; ` +
        'stop that one first',
    );
  }

  #untold(name: string): MonError {
    return new MonError(
      'conflict',
      `the database ${this.#parts.shown} was away, and now a write to shard ${name} is there that had to be given up: this backend ` +
        'ends, and the next one begins with it',
    );
  }

  #wentBack(name: string, last: number, seq: number): MonError {
    return new MonError(
      'conflict',
      `the database ${this.#parts.shown} lost writes that were acknowledged: shard ${name} was at ${String(last)} and is at ` +
        `${String(seq)}. A standby that was behind was promoted, or an old copy was put in place; this backend begins anew ` +
        'with what is there',
    );
  }
}
