import { setImmediate as nextRound } from 'node:timers/promises';
import { cpuMs } from './cpu-ms.ts';

/**
 * The most CPU that this thread took in one round of the event loop while something was done, in milliseconds: how long
 * one task holds up all others, however busy the machine is.
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
