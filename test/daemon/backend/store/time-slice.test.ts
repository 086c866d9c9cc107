import { stat } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TimeSlice, startPaced } from '../../../../daemon/backend/store/time-slice.ts';

let nowMs = 0;
const work = (ms: number): void => void (nowMs += ms);

/** Returns whether other tasks could run before `act` was done. */
async function isShared(act: () => Promise<void>): Promise<boolean> {
  let hadTheirs = false;
  setImmediate(() => (hadTheirs = true));
  await act();
  return hadTheirs;
}

test('other tasks run after each four milliseconds of work', async () => {
  const turn = new TimeSlice(() => nowMs);
  for (let round = 0; round < 3; round++) {
    work(3.9);
    expect(await isShared(() => turn.share())).toBe(false);
    work(0.1);
    expect(await isShared(() => turn.share())).toBe(true);
  }
});

test('time in which the work waited does not count as work', async () => {
  const turn = new TimeSlice(() => nowMs);
  await nextTurn();
  await nextTurn();
  work(100);
  expect(await isShared(() => turn.share())).toBe(false);
  work(4);
  expect(await isShared(() => turn.share())).toBe(true);
});

test('the event loop reads sockets between chunks of work, even if a socket started the work', async () => {
  for (let round = 0; round < 3; round++) {
    // At this point the loop reads, and runs `setImmediate` callbacks in the same round.
    await new Promise<void>((resolve) => stat('.', () => resolve()));
    const turn = new TimeSlice(() => nowMs);
    const before = roundsOfLoop();
    work(4);
    await turn.share();
    expect(roundsOfLoop()).toBeGreaterThan(before);
  }
});

const roundsOfLoop = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;

/** Blocks the thread. */
function hold(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

test('concurrent tasks are started in order, a few milliseconds of them in each round of the event loop', async () => {
  const started: { readonly at: number; readonly round: number }[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let at = 0; at < 30; at++) {
    startPaced(() => {
      hold(3);
      started.push({ at, round: roundsOfLoop() });
      if (at === 29) resolve();
    });
  }
  await promise;
  expect(started.map(({ at }) => at)).toEqual(Array.from({ length: 30 }, (_, at) => at));
  const perRound = Map.groupBy(started, ({ round }) => round);
  expect(Math.max(...Array.from(perRound.values(), ({ length }) => length))).toBeLessThanOrEqual(3);
});

test('a single task is started at once', async () => {
  await nextTurn();
  let isStarted = false;
  startPaced(() => (isStarted = true));
  expect(isStarted).toBe(true);
});
