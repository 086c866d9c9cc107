/** @module-tag slow */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DEAD_LETTER_PREFIX, HANDLER_JOB_PREFIX } from '../../daemon/backend/model/notify/delivery/storage.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { PATIENCE } from '../support/patience.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RandomChoices } from './random-choices.ts';
import { HandledReceiver, type Receipt } from './handled-receiver.ts';
import { HandledWriter } from './handled-writer.ts';
import { isAskedFor, rounds, roundsTimeoutMs, seed, underLoad } from './rounds.ts';

const ROUNDS = 2;
const WRITERS = 6;
/** Maximum time in milliseconds that the writers run before the kill. */
const LOAD_MS_MAX = 1500;
/**
 * Time before a kill that is enough to remove a completed delivery from the store with one of the next commits.
 * Deliveries completed earlier must not be repeated. Longer next to other tests.
 */
const IN_FLIGHT_MS_MAX = isAskedFor ? 1000 : PATIENCE.timeout;
const HANDLERS = ['line', 'hook', 'file'] as const;

/** Waits until no deliveries are queued, running or failed. */
async function idle(url: string): Promise<void> {
  const left = async (): Promise<unknown> => {
    const { handlers } = (await (await fetch(`${url}/health?deep=1`)).json()) as { handlers: object };
    return handlers;
  };
  await vi.waitFor(
    async () => expect(await left()).toMatchObject({ queued: 0, running: 0, retrying: 0, dead_letters: 0 }),
    { timeout: 120_000, interval: 50 },
  );
}

test(
  'every acknowledged event is handled despite kills of the backend, and repeated only around a kill',
  async () => {
    const random = new RandomChoices(seed());
    const dir = await tempDir();
    const config = join(dir, 'config.json');
    const stateDir = join(dir, 'state');
    const receiver = new HandledReceiver(join(dir, 'handled'));
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const writers = Array.from({ length: WRITERS }, (_, at) => {
      // Only one writer uses the pipe handler: a process for each event of all writers would take too long.
      const handlers = at === 0 ? HANDLERS : HANDLERS.filter((handler) => handler !== 'file');
      return new HandledWriter(`web-${String(at)}`, handlers, random);
    });
    const killedAtMs: number[] = [];

    const start = async (): Promise<DaemonProcess> => {
      await writeFile(config, JSON.stringify({ handlers: await receiver.definitions(killedAtMs.length) }));
      return await startDaemon({ stateDir, args: ['--config', config] });
    };
    for (let round = 0; round < rounds(ROUNDS); round++) {
      await using daemon = await start();
      const running = Promise.all(writers.map((writer) => writer.run(daemon.url)));
      // The first writer uses all handlers.
      const hasAcknowledged = (): boolean => (writers[0]?.expected.length ?? 0) > 0;
      await underLoad(random.below(LOAD_MS_MAX), { writing: running, hasAcknowledged });
      killedAtMs.push(performance.now());
      await daemon.end('SIGKILL');
      await running;
    }
    const last = await start();
    await idle(last.url);
    await last.end('SIGTERM');
    await receiver.readFile();

    const { receipts } = receiver;
    for (const handler of HANDLERS) {
      const expected = expectedOf(writers.filter(({ handlers }) => handlers.includes(handler)));
      expect(expected.length).toBeGreaterThan(0);
      const handled = new Set(receipts.filter((one) => one.handler === handler).map(({ output }) => output));
      expect(expected.filter((output) => !handled.has(output))).toEqual([]);
    }
    const repeated = repetitions(receipts);
    for (const [earlier, later] of repeated) {
      expect(later.life).toBeGreaterThan(earlier.life);
      // Only a delivery that was in flight when its backend was killed may be repeated.
      if (earlier.atMs === undefined) continue;
      expect((killedAtMs[earlier.life] ?? 0) - earlier.atMs).toBeLessThan(IN_FLIGHT_MS_MAX);
    }
    expect(await leftInStore(stateDir)).toBe(0);
    const counts = HANDLERS.map(
      (handler) =>
        `${handler} ${String(repeated.filter(([one]) => one.handler === handler).length)} of ${String(receipts.filter((one) => one.handler === handler).length)}`,
    );
    console.log(
      `${String(rounds(ROUNDS))} kills, ${String(expectedOf(writers).length)} acknowledged events, none lost; repeated: ${counts.join(', ')}`,
    );
  },
  roundsTimeoutMs(ROUNDS, 15_000),
);

function expectedOf(writers: readonly HandledWriter[]): string[] {
  return writers.flatMap(({ expected }) => expected);
}

/** Returns the repeated deliveries of an event to a handler, each with the previous delivery. */
function repetitions(receipts: readonly Receipt[]): (readonly [earlier: Receipt, later: Receipt])[] {
  const latest = new Map<string, Receipt>();
  const repeated: (readonly [Receipt, Receipt])[] = [];
  for (const receipt of receipts.toSorted((a, b) => a.life - b.life)) {
    const key = `${receipt.handler} ${receipt.output}`;
    const earlier = latest.get(key);
    if (earlier !== undefined) repeated.push([earlier, receipt]);
    latest.set(key, receipt);
  }
  return repeated;
}

async function leftInStore(dir: string): Promise<number> {
  const store = await openLevelStore(dir);
  let count = 0;
  for (const prefix of [HANDLER_JOB_PREFIX, DEAD_LETTER_PREFIX]) for await (const _ of store.scan([prefix])) count++;
  await store.close();
  return count;
}
