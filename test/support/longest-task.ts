import { setImmediate as nextRound } from 'node:timers/promises';
import { cpuMs } from './cpu-ms.ts';

/**
 * Returns the maximum CPU time in milliseconds that this thread used in one round of the event loop during `act`. It
 * measures how long one task blocks all others, independently of other load.
 */
export async function longestTaskMs(act: () => Promise<unknown>): Promise<number> {
  const state = { isDone: false };
  const done = act().finally(() => (state.isDone = true));
  let longestMs = 0;
  let beforeMs = cpuMs();
  while (!state.isDone) {
    await nextRound();
    const nowMs = cpuMs();
    longestMs = Math.max(longestMs, nowMs - beforeMs);
    beforeMs = nowMs;
  }
  await done;
  return longestMs;
}
