import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openPostgresStore } from '../../daemon/backend/store/postgres/postgres-store.ts';
import { startPostgres, type PostgresServer } from '../../scripts/lib/postgres-server.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { Chance } from './chance.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { expectWhole, readStore } from './stored-state.ts';
import { AgentWriter, HttpWriter, listsOf } from './writer.ts';

const ROUNDS = 2;
const HTTP_WRITERS = 6;
const AGENTS = 4;
/** Longest time under load before something happens. */
const LOAD_MS_MAX = 700;
/** From the end of a backend to the start of the other one (design, scale-out). */
const TAKE_OVER_MS_MAX = 5000;

/** What the log of a backend says. */
const MENDED = 'the store takes writes again';
const LOST = 'this backend may not write any more';

/** A backend that serves, and another one that waits to take over. */
class Pair implements AsyncDisposable {
  readonly #store: string;
  readonly #all: DaemonProcess[] = [];
  #waiting: Promise<DaemonProcess> | undefined;
  #killWaiting: (signal?: NodeJS.Signals) => void = () => undefined;
  active!: DaemonProcess;

  private constructor(store: string) {
    this.#store = store;
  }

  static async open(store: string): Promise<Pair> {
    const pair = new Pair(store);
    pair.active = await pair.#start();
    await pair.#wait();
    return pair;
  }

  /** The one that waits serves from now on, and another one waits. @returns milliseconds until it served */
  async takeOver(): Promise<number> {
    const begin = performance.now();
    if (this.#waiting === undefined) throw new Error('nobody waits');
    this.active = await this.#waiting;
    const took = performance.now() - begin;
    await this.#wait();
    return took;
  }

  /** On a machine that is busy with other things a backend may lose its turn by itself. */
  async settle(): Promise<void> {
    while (this.active.records.some(({ message }) => message === LOST)) await this.takeOver();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#killWaiting();
    await this.#waiting?.catch(() => undefined);
    for (const daemon of this.#all) await daemon[Symbol.asyncDispose]();
  }

  async #start(onSpawn?: (kill: (signal?: NodeJS.Signals) => void) => void): Promise<DaemonProcess> {
    const daemon = await startDaemon({
      stateDir: await tempDir(),
      env: { MON_STORE: this.#store },
      ...(onSpawn === undefined ? {} : { onSpawn }),
    });
    this.#all.push(daemon);
    return daemon;
  }

  /** Starts one, and lets it come as far as to wait. */
  async #wait(): Promise<void> {
    const spawned = Promise.withResolvers<void>();
    this.#waiting = this.#start((kill) => {
      this.#killWaiting = kill;
      spawned.resolve();
    });
    this.#waiting.catch(() => undefined);
    await spawned.promise;
  }
}

/**
 * Does something to the backend that serves or to the database, and waits until one serves again.
 *
 * @returns how long that took another one, in milliseconds; undefined: it is the same
 */
type Disaster = (pair: Pair, server: PostgresServer, chance: Chance) => Promise<number | undefined>;

/** When it is away for longer than the lease, either may be the one that has it afterwards. */
const restartDatabase: Disaster = async (pair, server, chance) => {
  const { active } = pair;
  const told = (wanted: string): number => active.records.filter(({ message }) => message === wanted).length;
  const mended = told(MENDED);
  await (chance.below(2) === 0 ? server.kill() : server.stop());
  await delay(chance.below(1000));
  await server.start();
  while (told(MENDED) === mended && told(LOST) === 0) await delay(10);
  return undefined;
};

const kill: Disaster = async (pair) => {
  await pair.active.end('SIGKILL');
  return pair.takeOver();
};

const stop: Disaster = async (pair) => {
  await pair.active.end('SIGTERM');
  return pair.takeOver();
};

/** It stands still for longer than its lease, and goes on when another one has taken over. */
const freeze: Disaster = async (pair, _server, chance) => {
  const frozen = pair.active;
  process.kill(frozen.pid, 'SIGSTOP');
  const took = await pair.takeOver();
  await delay(chance.below(1000));
  process.kill(frozen.pid, 'SIGCONT');
  while (!frozen.records.some(({ message }) => message === LOST)) await delay(10);
  return took;
};

const DISASTERS = [restartDatabase, freeze, kill, stop];

test(
  'of two backends with one database one serves, whatever happens to the other or to the database; nothing acknowledged is lost',
  async () => {
    const chance = new Chance(seed());
    await using server = await startPostgres();
    const store = await server.database();
    await using pair = await Pair.open(store);
    const https = Array.from({ length: HTTP_WRITERS }, (_, at) => new HttpWriter(`http-${String(at)}`, chance));
    const agents = Array.from({ length: AGENTS }, (_, at) => new AgentWriter(`agent-${String(at)}`, chance));
    const writers = [...https, ...agents];
    const takeOvers: number[] = [];
    let lastSeq = 0;
    let changes = 0;

    for (let round = 0; round < rounds(ROUNDS); round++) {
      const enough = new AbortController();
      const running = Promise.all(writers.map((writer) => writer.run(pair.active.url, enough.signal)));
      await Promise.race([delay(chance.below(LOAD_MS_MAX)), running]);
      const took = await DISASTERS[round % DISASTERS.length]?.(pair, server, chance);
      if (took !== undefined) takeOvers.push(took);
      enough.abort();
      await running;
      await pair.settle();
      const stored = await readStore(openPostgresStore(store));
      expectWhole(stored, lastSeq, agents);
      ({ lastSeq } = stored);
      const lists = await listsOf(pair.active.url);
      for (const { ledger } of writers) {
        changes += ledger.acked;
        ledger.compare(lists);
      }
    }
    const slowest = Math.max(...takeOvers);
    expect(slowest).toBeLessThan(TAKE_OVER_MS_MAX);
    const sorted = takeOvers.toSorted((one, other) => one - other);
    console.log(
      `${String(rounds(ROUNDS))} disasters, ${String(changes)} acknowledged changes, take-over median ` +
        `${String(Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0))} ms, slowest ${String(Math.round(slowest))} ms`,
    );
  },
  roundsTimeoutMs(ROUNDS, 20_000),
);
