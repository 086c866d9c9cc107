/** @module-tag slow */
import { execFile } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../scripts/lib/free-port.ts';
import { SPOOL_CHECK } from '../../shared/domain/spool-check.ts';
import type { Event } from '../../shared/schemas/event.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { canDisksFail, FailingDisk, type DiskCall, type Fault } from '../support/failing-disk.ts';
import { spawnAgent, type AgentProcess } from '../support/start-agent.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RandomChoices } from './random-choices.ts';
import { isAskedFor, rounds, roundsTimeoutMs, seed } from './rounds.ts';

const ROUNDS = 4;
const REPORTERS = 4;
const REPORTS_MAX = 12;
const FAULT_MS_MAX = 600;
const CLIENT = 'web-1';
/**
 * Names of checks that are reported many times; only the newest result of each counts. Every other result belongs to a
 * check that is reported once.
 */
const STATES = ['state-a', 'state-b', 'state-c'] as const;

/**
 * Timeout for what must happen after a fault is repaired: longer than the 30 s after which an agent closes a silent
 * connection.
 */
const MENDED = { timeout: 90_000, interval: 100 };

const DISK_MIB = 24;
const MIB = 1024 * 1024;
/** Number of large results; together they exceed the agent's memory limit of 8 Mi characters. */
const LARGE_RESULTS = 30;
const LARGE_CHARACTERS = 400_000;

const run = promisify(execFile);
const canMount = isAskedFor || process.getuid?.() === 0;
const canFail = isAskedFor || (await canDisksFail());

const CALLS: readonly [readonly DiskCall[], ...(readonly DiskCall[])[]] = [
  ['write'],
  ['sync'],
  ['write', 'sync'],
  ['write', 'open'],
  ['open', 'name'],
  ['write', 'sync', 'open', 'truncate', 'name'],
];

/**
 * The disk fault of the first round. It always opens the spool event, so that each run of the test covers that event.
 */
const FULL: Fault = { calls: ['write'], error: 'ENOSPC' };

function anyFault(random: RandomChoices): Fault {
  return {
    calls: random.pick(CALLS),
    error: random.pick(['ENOSPC', 'ENOSPC', 'EIO']),
    skip: random.below(6),
    times: random.pick([1, 3, -1, -1]),
    share: random.below(256) / 256,
  };
}

/**
 * A backend, an agent, a proxy between them that can cut connections, and local programs that report results to the
 * agent.
 */
class Scene implements AsyncDisposable {
  /** Names of the checks that are reported once and whose result the agent acknowledged. */
  readonly acked = new Set<string>();
  /** Number of the newest sent result by check; `ackedStates` has the number of the newest acknowledged one. */
  readonly sentNumbers = new Map<string, number>();
  readonly ackedStates = new Map<string, number>();
  readonly daemon: DaemonProcess;
  readonly proxy: CuttingProxy;
  readonly #dir: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #port: number;
  #agent: AgentProcess;
  #count = 0;

  private constructor(
    parts: Pick<Scene, 'daemon' | 'proxy'>,
    dir: string,
    port: number,
    env: Readonly<Record<string, string>>,
  ) {
    this.daemon = parts.daemon;
    this.proxy = parts.proxy;
    this.#dir = dir;
    this.#port = port;
    this.#env = env;
    this.#agent = this.#spawn();
  }

  /**
   * Starts the backend, the proxy and the agent.
   *
   * @param stateDir state directory of the agent
   * @param env environment variables for the agent that select the failing disk
   */
  static async open(stateDir: string, env: Readonly<Record<string, string>> = {}): Promise<Scene> {
    const dir = await tempDir();
    const port = await freePort();
    await mkdir(join(dir, 'conf.d'));
    const client = { name: CLIENT, socket: { enabled: false }, http_socket: { port } };
    await writeFile(join(dir, 'conf.d', 'client.json'), JSON.stringify({ client }));
    const daemon = await startDaemon({ stateDir: join(dir, 'backend') });
    const proxy = await CuttingProxy.open(daemon.url);
    const scene = new Scene({ daemon, proxy }, dir, port, { ...env, STATE_DIR: stateDir });
    await scene.waitUntilUp();
    return scene;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
    await this.daemon.end('SIGKILL');
  }

  async waitUntilUp(): Promise<void> {
    await vi.waitFor(() => this.spoolTrouble(), MENDED);
  }

  /** Returns the spool problem that the agent reports in `/info`; `undefined` if there is none. */
  async spoolTrouble(): Promise<unknown> {
    const answer = (await (await fetch(`http://127.0.0.1:${String(this.#port)}/info`)).json()) as {
      readonly mon: { readonly spool?: unknown };
    };
    return answer.mon.spool;
  }

  /** Sends a result to the agent's HTTP socket, as a local program does. */
  async report(name: string, number: number, output = String(number)): Promise<void> {
    const isState = (STATES as readonly string[]).includes(name);
    if (isState) this.sentNumbers.set(name, number);
    const answer = await fetch(`http://127.0.0.1:${String(this.#port)}/results`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, output, number }),
    }).catch(() => undefined);
    await answer?.text();
    if (answer?.status !== 202) return;
    if (isState) this.ackedStates.set(name, Math.max(number, this.ackedStates.get(name) ?? 0));
    else this.acked.add(name);
  }

  /** Sends `count` results with short pauses: either of the reporter's check in `STATES`, or of a new check. */
  async reportSome(random: RandomChoices, reporter: number, count: number): Promise<void> {
    for (let at = 0; at < count; at++) {
      const number = ++this.#count;
      const state = STATES[reporter];
      await this.report(state !== undefined && random.below(2) === 0 ? state : `r-${String(number)}`, number);
      await delay(random.below(20));
    }
  }

  /** Kills the agent at an arbitrary moment, and starts it again with the same state directory. */
  async restartAgent(): Promise<void> {
    this.#agent.kill('SIGKILL');
    await this.#agent.ended;
    this.#agent = this.#spawn();
    await this.waitUntilUp();
  }

  /** Removes the unacknowledged results from what the test expects: they may have been lost with the killed agent. */
  expectOnlyAcknowledged(): void {
    this.sentNumbers.clear();
    for (const [name, number] of this.ackedStates) this.sentNumbers.set(name, number);
  }

  async results(): Promise<ReadonlyMap<string, number>> {
    const answer = await fetch(`${this.daemon.url}/results/${CLIENT}`);
    const results = (await answer.json()) as readonly {
      readonly check: { readonly name: string; readonly number: number };
    }[];
    return new Map(results.map(({ check }) => [check.name, check.number]));
  }

  async spoolEvent(): Promise<Event | undefined> {
    const answer = await fetch(`${this.daemon.url}/events/${CLIENT}/${SPOOL_CHECK}`);
    return answer.status === 200 ? ((await answer.json()) as Event) : undefined;
  }

  /**
   * Returns the checks whose result has not arrived at the backend.
   *
   * @param isComplete true if all sent results of `STATES` must have arrived, false if only the acknowledged ones
   */
  async findMissingChecks(isComplete: boolean): Promise<readonly string[]> {
    const results = await this.results();
    const states = isComplete ? this.sentNumbers : this.ackedStates;
    const isOld = ([name, number]: readonly [string, number]): boolean => (results.get(name) ?? -1) < number;
    return [
      ...[...this.acked].filter((name) => !results.has(name)),
      ...[...states].filter(isOld).map(([name]) => name),
    ];
  }

  #spawn(): AgentProcess {
    const { STATE_DIR: stateDir = '', ...env } = this.#env;
    const conf = join(this.#dir, 'conf.d');
    return spawnAgent(['start', '--backend', this.proxy.url, '--state-dir', stateDir, '-d', conf], env);
  }
}

test.skipIf(!canFail)(
  'an agent on a failing disk with lost connections and kills loses no acknowledged result',
  async () => {
    const random = new RandomChoices(seed());
    const stateDir = join(await tempDir(), 'state');
    await mkdir(stateDir);
    const disk = await FailingDisk.under(stateDir);
    await using scene = await Scene.open(stateDir, disk.env);
    let [kills, opened] = [0, 0];
    for (let round = 0; round < rounds(ROUNDS); round++) {
      const isDown = random.below(3) === 0;
      if (isDown) scene.proxy.stall();
      disk.fail(round === 0 ? FULL : anyFault(random));
      const reporting = Promise.all(
        Array.from({ length: REPORTERS }, (_, reporter) =>
          scene.reportSome(random, reporter, random.below(REPORTS_MAX)),
        ),
      );
      await delay(random.below(FAULT_MS_MAX));
      if (random.below(3) === 0) scene.proxy.cut();
      if (isDown) {
        scene.proxy.flow();
        scene.proxy.cut();
      }
      // Results that are only in memory are not acknowledged yet, and are lost when the agent is killed.
      const isKilled = random.below(4) === 0;
      if (isKilled) {
        kills++;
        await scene.restartAgent();
      }
      await reporting;
      if (isKilled) scene.expectOnlyAcknowledged();
      // While the disk fails, all results arrive, from memory or from the open spool. A spool that was not open when
      // the disk failed cannot be read until the disk works again.
      await scene.report(STATES[0], round + 1_000_000);
      await vi.waitFor(async () => expect(isKilled ? [] : await scene.findMissingChecks(true)).toEqual([]), MENDED);
      // Some faults end by themselves, so the reported problem and the event are polled until they agree.
      const isFailing = await vi.waitFor(async () => {
        const isTroubled = (await scene.spoolTrouble()) !== undefined;
        expect((await scene.spoolEvent())?.check.status).toBe(isTroubled ? 1 : undefined);
        return isTroubled;
      }, MENDED);
      if (isFailing) opened++;
      disk.mend();
      await vi.waitFor(async () => expect(await scene.spoolTrouble()).toBeUndefined(), MENDED);
      await vi.waitFor(async () => expect(await scene.spoolEvent()).toBeUndefined(), MENDED);
      await vi.waitFor(async () => expect(await scene.findMissingChecks(!isKilled)).toEqual([]), MENDED);
    }
    expect(opened).toBeGreaterThan(0);
    console.log(
      `${String(scene.acked.size)} results, ${String(await disk.failures())} failed calls, ${String(scene.proxy.cuts)} cuts, ` +
        `${String(kills)} kills, ${String(opened)} events`,
    );
  },
  roundsTimeoutMs(ROUNDS, 100_000),
);

test.skipIf(!canMount)(
  'an agent on a full file system delivers from memory, keeps the newest state of each check and recovers',
  async () => {
    const dir = await tempDir();
    await run('mount', ['-t', 'tmpfs', '-o', `size=${String(DISK_MIB)}m,mode=0700`, 'tmpfs', dir]);
    onTestFinished(async () => void (await run('umount', ['-l', dir])));
    const stateDir = join(dir, 'state');
    await mkdir(stateDir);
    await using scene = await Scene.open(stateDir);

    // These results reach the disk before it is full.
    scene.proxy.stall();
    scene.proxy.cut();
    for (let at = 0; at < 5; at++) await scene.report(`before-${String(at)}`, at);
    expect(scene.acked.size).toBe(5);
    const filler = join(dir, 'filler');
    await fill(dir, filler);

    // None of these results fits on the disk, and only some of them fit into memory.
    const large = 'x'.repeat(LARGE_CHARACTERS);
    const first = scene.report(STATES[0], 0, large);
    await vi.waitFor(async () => expect(await scene.spoolTrouble()).toMatchObject({ unsaved: 1 }), MENDED);
    const quiet = scene.report('quiet', 1);
    await vi.waitFor(async () => expect(await scene.spoolTrouble()).toMatchObject({ unsaved: 2 }), MENDED);
    const reporting = Promise.all(
      Array.from({ length: LARGE_RESULTS }, (_, at) => scene.report(STATES[at % STATES.length] ?? '', at + 1, large)),
    );
    await vi.waitFor(
      async () => expect(await scene.spoolTrouble()).toMatchObject({ dropped: expect.any(Number) as number }),
      MENDED,
    );
    scene.proxy.flow();
    scene.proxy.cut();
    await Promise.all([first, quiet, reporting]);
    // The result `quiet` is the second oldest in memory and the newest of its check, so it must not be dropped.
    await vi.waitFor(async () => expect((await scene.results()).get('quiet')).toBe(1), MENDED);
    // Concurrent reports arrive in any order; a last report of each check makes clear which result is the newest.
    for (const [at, name] of STATES.entries()) await scene.report(name, 1000 + at);
    await vi.waitFor(async () => expect(await scene.findMissingChecks(true)).toEqual([]), MENDED);
    const event = await vi.waitFor(async () => {
      const open = await scene.spoolEvent();
      expect(open?.check.status).toBe(2);
      return open;
    }, MENDED);
    expect(event?.check.output).toMatch(/dropped because memory was full/);

    await rm(filler);
    await vi.waitFor(async () => expect(await scene.spoolEvent()).toBeUndefined(), MENDED);
    await scene.report('after', 1);
    expect(scene.acked.has('after')).toBe(true);
    await vi.waitFor(async () => expect(await scene.findMissingChecks(true)).toEqual([]), MENDED);
  },
  roundsTimeoutMs(1, 60_000),
);

/** Fills the file until the file system has no free space. */
async function fill(dir: string, file: string): Promise<void> {
  const freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize;
  };
  for (let chunk = MIB; chunk >= 4096; chunk /= 4) {
    while ((await freeBytes()) >= chunk) await writeFile(file, Buffer.alloc(chunk), { flag: 'a' });
  }
}
