import { Bcrypt } from '../../daemon/backend/access/bcrypt.ts';
import { Batcher } from '../../daemon/backend/commit/batcher.ts';
import { openFoundation, type Foundation } from '../../daemon/backend/compose/foundation.ts';
import { openWriters, type Writers } from '../../daemon/backend/compose/writers.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import { Routing } from '../../daemon/backend/model/notify/routing.ts';
import type { Key, Store } from '../../daemon/backend/ports.ts';
import { Registry } from '../../daemon/backend/model/registry/registry.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { TABLES } from '../../daemon/backend/model/tables/tables.ts';
import { Teardown } from '../../daemon/backend/compose/teardown.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordedLog } from './recorded-log.ts';
import { snapshotOf } from './registry-snapshot.ts';

const LINGER_MS = 2;

/** The writers of a backend on a real store, with a second registry that follows the writes like a follower's. */
export class FollowedBackend implements AsyncDisposable {
  readonly machine: ManualClock;
  readonly foundation: Foundation;
  readonly batcher: Batcher;
  readonly writers: Writers;
  readonly follower = new Registry(TABLES);
  /** For each write that the follower has not applied yet: the keys that it changed. */
  readonly pendingWrites: Key[][];
  readonly #teardown: Teardown;

  static async open(dir: string): Promise<FollowedBackend> {
    const machine = new ManualClock();
    const log = new RecordedLog();
    const teardown = new Teardown({ clock: machine, log });
    const unappliedWrites: Key[][] = [];
    const ground = await openFoundation(
      {
        config: await loadConfig({ directories: [], env: {} }),
        openStore: async () => noting(await openLevelStore(dir), unappliedWrites),
        clock: machine,
        log,
        bind: '127.0.0.1',
        port: 0,
      },
      TABLES,
      teardown,
    );
    const backend = new FollowedBackend({ machine, ground, teardown, unappliedWrites });
    await backend.follower.load(ground.store);
    unappliedWrites.length = 0;
    return backend;
  }

  private constructor(parts: {
    readonly machine: ManualClock;
    readonly ground: Foundation;
    readonly teardown: Teardown;
    readonly unappliedWrites: Key[][];
  }) {
    this.machine = parts.machine;
    this.foundation = parts.ground;
    this.pendingWrites = parts.unappliedWrites;
    this.#teardown = parts.teardown;
    const { registry, store, lease, clock, log, definitions, time } = this.foundation;
    const bcrypt = this.#teardown.use('password hashing', new Bcrypt(clock));
    this.batcher = new Batcher(
      {
        registry,
        store,
        lease,
        clock,
        log,
        routing: new Routing(definitions),
        anchorDue: () => time.anchorDue(),
      },
      { lingerMs: LINGER_MS },
    );
    this.#teardown.defer('change queue', () => this.batcher.close());
    this.#teardown.use('clock monitor', time.watch(this.batcher));
    this.#teardown.use(
      'stored definitions',
      this.batcher.commits.onIdle(() => definitions.noteStored()),
    );
    this.writers = openWriters(this.foundation, { batcher: this.batcher, bcrypt }, this.#teardown);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#teardown[Symbol.asyncDispose]();
  }

  get nowMs(): number {
    return this.foundation.clock.now();
  }

  /** Commits these changes in one batch, or in several if the changes force that. */
  async commit(...changes: readonly (() => Promise<unknown>)[]): Promise<PromiseSettledResult<unknown>[]> {
    const settled = Promise.allSettled(changes.map((change) => change()));
    let isSettled = false;
    const done = settled.then(() => (isSettled = true));
    for (;;) {
      await new Promise(setImmediate);
      if (isSettled) break;
      this.machine.advance(LINGER_MS);
    }
    await done;
    return settled;
  }

  /** Advances the clock minute by minute, and waits after each for the writes that the timers start. */
  async pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      this.machine.advance(60_000);
      // This empty change is committed after everything that the timers have queued.
      await this.commit(() => this.batcher.run(() => undefined));
    }
  }

  /** Applies the `count` oldest pending writes to the follower, one by one. */
  async applyPendingWrites(count = Infinity): Promise<void> {
    for (const keys of this.pendingWrites.splice(0, count))
      await this.follower.applyWrites(this.foundation.store, keys);
  }

  /**
   * Returns the state in the memory of the leader and of the follower, and the state that a registry loads from the
   * store.
   */
  async snapshots(): Promise<{ readonly leader: object; readonly follower: object; readonly fresh: object }> {
    const { nowMs } = this;
    const fresh = await this.loaded();
    return {
      leader: snapshotOf(this.foundation.registry, nowMs),
      follower: snapshotOf(this.follower, nowMs),
      fresh: snapshotOf(fresh, nowMs),
    };
  }

  async loaded(): Promise<Registry> {
    const registry = new Registry(TABLES);
    await registry.load(this.foundation.store);
    return registry;
  }
}

/** Returns a store that appends the changed keys of each write to `writes`. */
function noting(store: Store, writes: Key[][]): Store {
  const write: Store['write'] = async (lease, ops, changes) => {
    // These tests need no synced writes.
    const seq = await store.write(lease, ops, changes, 'process');
    writes.push(ops.map(({ key }) => key));
    return seq;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
