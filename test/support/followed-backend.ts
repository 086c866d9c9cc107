import { Bcrypt } from '../../daemon/backend/access/bcrypt.ts';
import { Batcher } from '../../daemon/backend/commit/batcher.ts';
import { openGround, type Ground } from '../../daemon/backend/compose/ground.ts';
import { openWriters, type Writers } from '../../daemon/backend/compose/writers.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import { EventHandling } from '../../daemon/backend/handlers/event-handling.ts';
import type { Key, Store } from '../../daemon/backend/ports.ts';
import { Registry } from '../../daemon/backend/registry/registry.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { TABLES } from '../../daemon/backend/tables/tables.ts';
import { Teardown } from '../../daemon/backend/compose/teardown.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordedLog } from './recorded-log.ts';
import { snapshotOf } from './registry-snapshot.ts';

const LINGER_MS = 2;

/** All that writes over a real store, and a registry beside it that follows what was written. */
export class FollowedBackend implements AsyncDisposable {
  readonly machine: ManualClock;
  readonly ground: Ground;
  readonly batcher: Batcher;
  readonly writers: Writers;
  readonly follower = new Registry(TABLES);
  /** The keys of each write that the follower was not told of so far. */
  readonly untold: Key[][];
  readonly #teardown: Teardown;

  static async open(dir: string): Promise<FollowedBackend> {
    const machine = new ManualClock();
    const log = new RecordedLog();
    const teardown = new Teardown({ clock: machine, log });
    const untold: Key[][] = [];
    const ground = await openGround(
      {
        config: await loadConfig({ directories: [], env: {} }),
        openStore: async () => noting(await openLevelStore(dir), untold),
        clock: machine,
        log,
        bind: '127.0.0.1',
        port: 0,
      },
      TABLES,
      teardown,
    );
    const backend = new FollowedBackend({ machine, ground, teardown, untold });
    await backend.follower.load(ground.store);
    untold.length = 0;
    return backend;
  }

  private constructor(parts: {
    readonly machine: ManualClock;
    readonly ground: Ground;
    readonly teardown: Teardown;
    readonly untold: Key[][];
  }) {
    this.machine = parts.machine;
    this.ground = parts.ground;
    this.untold = parts.untold;
    this.#teardown = parts.teardown;
    const { registry, store, lease, clock, log, definitions, time } = this.ground;
    const bcrypt = this.#teardown.use('password hashing', new Bcrypt(clock));
    this.batcher = new Batcher(
      {
        registry,
        store,
        lease,
        clock,
        log,
        handling: new EventHandling(definitions),
        anchorDue: () => time.anchorDue(),
      },
      { lingerMs: LINGER_MS },
    );
    this.#teardown.defer('queue of changes', () => this.batcher.close());
    this.#teardown.use('watch of time', time.watch(this.batcher));
    this.#teardown.use(
      'stored definitions',
      this.batcher.commits.onRest(() => definitions.noteStored()),
    );
    this.writers = openWriters(this.ground, { batcher: this.batcher, bcrypt }, this.#teardown);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#teardown[Symbol.asyncDispose]();
  }

  get nowMs(): number {
    return this.ground.clock.now();
  }

  /** Commits these changes as one batch, or as those that they make themselves. */
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

  /** Lets time pass, minute by minute, and what is due be written. */
  async pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      this.machine.advance(60_000);
      // Behind what the timers have asked for.
      await this.commit(() => this.batcher.run(() => undefined));
    }
  }

  /** Tells the follower of the oldest writes that it does not know of, one by one. */
  async tell(count = Infinity): Promise<void> {
    for (const keys of this.untold.splice(0, count)) await this.follower.follow(this.ground.store, keys);
  }

  /** What is in the memory of who writes, of who follows, and of who reads everything now. */
  async snapshots(): Promise<{ readonly leader: object; readonly follower: object; readonly fresh: object }> {
    const { nowMs } = this;
    const fresh = await this.loaded();
    return {
      leader: snapshotOf(this.ground.registry, nowMs),
      follower: snapshotOf(this.follower, nowMs),
      fresh: snapshotOf(fresh, nowMs),
    };
  }

  async loaded(): Promise<Registry> {
    const registry = new Registry(TABLES);
    await registry.load(this.ground.store);
    return registry;
  }
}

/** A store that notes the keys of each write. */
function noting(store: Store, writes: Key[][]): Store {
  const write: Store['write'] = async (lease, ops, changes) => {
    // What is shown here needs no disk that has it already.
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
