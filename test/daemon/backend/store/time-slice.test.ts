import { stat } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TimeSlice, startPaced } from '../../../../daemon/backend/store/time-slice.ts';

let nowMs = 0;
const spendTime = (ms: number): void => void (nowMs += ms);

/** Returns whether other tasks of the event loop ran before `act` was done. */
async function isShared(act: () => Promise<void>): Promise<boolean> {
  let hadTheirs = false;
  setImmediate(() => (hadTheirs = true));
  await act();
  return hadTheirs;
}

test('long work yields to other tasks after every four milliseconds', async () => {
  const turn = new TimeSlice(() => nowMs);
  for (let round = 0; round < 3; round++) {
    spendTime(3.9);
    expect(await isShared(() => turn.share())).toBe(false);
    spendTime(0.1);
    expect(await isShared(() => turn.share())).toBe(true);
  }
});

test('time during which the work waits does not count toward its four milliseconds', async () => {
  const turn = new TimeSlice(() => nowMs);
  await nextTurn();
  await nextTurn();
  spendTime(100);
  expect(await isShared(() => turn.share())).toBe(false);
  spendTime(4);
  expect(await isShared(() => turn.share())).toBe(true);
});

test('the event loop reads sockets between two slices of work, even if a socket event started the work', async () => {
  for (let round = 0; round < 3; round++) {
    // The callback of `stat` runs when the event loop reads, and `setImmediate` callbacks run in the same round of the
    // loop.
    await new Promise<void>((resolve) => stat('.', () => resolve()));
    const turn = new TimeSlice(() => nowMs);
    const before = roundsOfLoop();
    spendTime(4);
    await turn.share();
    expect(roundsOfLoop()).toBeGreaterThan(before);
  }
});

const roundsOfLoop = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;

/** Blocks the event loop for this time. */
function blockEventLoop(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

test('concurrent tasks start in order, only a few milliseconds of them in each round of the event loop', async () => {
  const started: { readonly at: number; readonly round: number }[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let at = 0; at < 30; at++) {
    startPaced(() => {
      blockEventLoop(3);
      started.push({ at, round: roundsOfLoop() });
      if (at === 29) resolve();
    });
  }
  await promise;
  expect(started.map(({ at }) => at)).toEqual(Array.from({ length: 30 }, (_, at) => at));
  const perRound = Map.groupBy(started, ({ round }) => round);
  expect(Math.max(...Array.from(perRound.values(), ({ length }) => length))).toBeLessThanOrEqual(3);
});

test('a single task starts at once', async () => {
  await nextTurn();
  let isStarted = false;
  startPaced(() => (isStarted = true));
  expect(isStarted).toBe(true);
});
