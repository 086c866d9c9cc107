/** @module-tag slow */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { canDisksFail, FailingDisk, type DiskCall, type Fault } from '../support/failing-disk.ts';
import { PATIENCE } from '../support/patience.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RandomChoices } from './random-choices.ts';
import { isAskedFor, rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { AgentWriter, HttpWriter, listsOf } from './writer.ts';

const ROUNDS = 2;
const HTTP_WRITERS = 4;
const AGENTS = 4;
/**
 * Maximum pause before a fault, and maximum duration of a fault. A few faults last for `LONG_FAULT_MS`, which exceeds
 * the timeout of a client.
 */
const PAUSE_MS_MAX = 200;
const FAULT_MS_MAX = 400;
const LONG_FAULT_MS = 3500;
/** Duration of a fault during the start of the backend; longer than the backend's retries of its start. */
const START_FAULT_MS = 3000;
/**
 * Time until a write succeeds after a fault is repaired: a retry each second, and the attempt on a busy machine; longer
 * next to other tests.
 */
const MENDED_MS_MAX = isAskedFor ? 10_000 : PATIENCE.timeout;

const SMALL_BUFFERS = 'test/support/small-buffer-backend.ts';

const CALLS: readonly [readonly DiskCall[], ...(readonly DiskCall[])[]] = [
  ['sync'],
  ['write'],
  ['write', 'sync'],
  ['sync', 'truncate'],
  ['open'],
  ['open', 'read'],
  ['name'],
  ['write', 'sync', 'open', 'truncate', 'name', 'read'],
];

/** Returns a random fault: calls that fail once, a few times or until the disk is repaired. */
function anyFault(random: RandomChoices): Fault {
  const calls = random.pick(CALLS);
  const errors: readonly [Fault['error'], ...Fault['error'][]] = calls.includes('open')
    ? ['EMFILE', 'EIO']
    : ['EIO', 'EIO', 'ENOSPC', 'EROFS'];
  return {
    calls,
    error: random.pick(errors),
    skip: random.below(30),
    times: random.pick([1, 1, 2, 5, -1, -1]),
    share: random.below(256) / 256,
  };
}

const anyFaults = (random: RandomChoices): readonly [Fault] | readonly [Fault, Fault] =>
  random.below(3) === 0 ? [anyFault(random), anyFault(random)] : [anyFault(random)];

/**
 * Expects that the sequence numbers in the store have no gaps and did not go back.
 *
 * @param dir directory of a store that no process has open
 * @returns the last sequence number of the store
 */
async function assertDense(dir: string, lastSeq: number): Promise<number> {
  const store = await openLevelStore(dir);
  const seqs: number[] = [];
  const watch = await store.watch('main', 0, ({ seq }) => seqs.push(seq));
  watch.close();
  const last = store.lastSeq('main');
  await store.close();
  expect(last).toBeGreaterThanOrEqual(lastSeq);
  expect(seqs).toEqual(seqs.map((_, at) => last - seqs.length + 1 + at));
  return last;
}

/**
 * Returns the number of differences between memory and store from the deep health check; `undefined` if it is unknown.
 */
async function differences({ url }: DaemonProcess): Promise<number | undefined> {
  const answer = await fetch(`${url}/health?deep=1`);
  const { indexes } = (await answer.json()) as { readonly indexes: { readonly differences: number } | null };
  return indexes?.differences;
}

async function assertStops(daemon: DaemonProcess): Promise<void> {
  await expect.poll(() => differences(daemon)).toBe(0);
  expect(await daemon.end('SIGTERM')).toMatchObject({ code: 0 });
}

/**
 * Waits until a change is acknowledged.
 *
 * @returns the waiting time in milliseconds
 */
async function untilMended({ url }: DaemonProcess): Promise<number> {
  const startedAt = performance.now();
  const body = JSON.stringify({ path: 'mended', content: {} });
  await expect
    .poll(() => fetch(`${url}/stashes`, { method: 'POST', body }).then(({ status }) => status), {
      timeout: MENDED_MS_MAX,
      interval: 20,
    })
    .toBe(201);
  return performance.now() - startedAt;
}

test(
  'a backend on a failing disk loses no acknowledged write, stores no rejected write, and then recovers',
  async () => {
    const random = new RandomChoices(seed());
    const dir = await tempDir();
    // Without a C compiler the test has no failing disk and only kills the backend; the long form fails if the compiler
    // is missing.
    const disk = isAskedFor || (await canDisksFail()) ? await FailingDisk.under(dir) : undefined;
    const https = Array.from({ length: HTTP_WRITERS }, (_, at) => new HttpWriter(`http-${String(at)}`, random));
    const agents = Array.from({ length: AGENTS }, (_, at) => new AgentWriter(`agent-${String(at)}`, random));
    const writers = [...https, ...agents];
    const count = { acknowledged: 0, refusedStarts: 0, mended: 0, kills: 0, powerCuts: 0, slowestMs: 0, lastSeq: 0 };
    const start = (): Promise<DaemonProcess> =>
      startDaemon({
        stateDir: dir,
        ...(disk === undefined ? {} : { env: disk.env }),
        ...(random.below(2) === 0 ? { program: SMALL_BUFFERS } : {}),
      });
    const compare = async ({ url }: DaemonProcess): Promise<void> => {
      const lists = await listsOf(url);
      for (const { ledger } of writers) {
        count.acknowledged += ledger.acked;
        ledger.compare(lists);
      }
    };

    for (let round = 0; round < rounds(ROUNDS); round++) {
      let started: DaemonProcess | undefined;
      if (random.below(3) === 0) {
        disk?.fail(...anyFaults(random));
        const mending = setTimeout(() => disk?.mend(), START_FAULT_MS);
        started = await start().catch(() => undefined);
        clearTimeout(mending);
        if (started === undefined) count.refusedStarts++;
        disk?.mend();
      }
      await using daemon = started ?? (await start());
      await untilMended(daemon);
      await compare(daemon);

      const over = new AbortController();
      const writing = Promise.all(writers.map((writer) => writer.run(daemon.url, over.signal)));
      // If a writer gets a wrong response, the race rejects, so the test fails immediately.
      await Promise.race([delay(random.below(PAUSE_MS_MAX)), writing]);
      const isKilled = random.below(3) === 0;
      for (let faults = random.below(3); faults >= 0; faults--) {
        disk?.fail(...anyFaults(random));
        const faultMs = random.below(20) === 0 ? LONG_FAULT_MS : random.below(FAULT_MS_MAX);
        await Promise.race([delay(faultMs), writing]);
        if (isKilled && faults === 0) break;
        disk?.mend();
        count.slowestMs = Math.max(count.slowestMs, await untilMended(daemon));
        count.mended++;
      }
      if (isKilled) {
        count.kills++;
        await daemon.end('SIGKILL');
        await writing;
        disk?.mend();
        if (random.below(2) === 0) {
          count.powerCuts++;
          await disk?.cutPower(() => random.below(1000) / 1000);
        }
      } else {
        over.abort();
        await writing;
        await compare(daemon);
        await assertStops(daemon);
      }
      // This check opens the store and leaves an empty log for the next start, so only every second round performs it.
      if (random.below(2) === 0) {
        count.lastSeq = await assertDense(dir, count.lastSeq);
        disk?.noteDurable();
      }
    }
    await using daemon = await start();
    await compare(daemon);
    expect(count.acknowledged).toBeGreaterThan(0);
    const refused = https.reduce((sum, writer) => sum + writer.refused, 0);
    const failures = (await disk?.failures()) ?? 0;
    console.log(`${String(rounds(ROUNDS))} rounds: ${JSON.stringify({ ...count, refused, failedCalls: failures })}`);
  },
  roundsTimeoutMs(ROUNDS, 20_000),
);
