import { performance } from 'node:perf_hooks';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';

const PERIOD_MS = 1000;
/** The interval at which the event loop is checked for delays. */
const RESOLUTION_MS = 20;
/** The delay above which a stall is logged: longer than any single task may take (security S11). */
const STALL_MS = 100;

/**
 * Logs the longest time for which the event loop was blocked, at most once per second.
 *
 * `monitorEventLoopDelay` cannot do this: after each `reset` it only notes when its next tick comes, so it misses a
 * stall that begins before that tick.
 */
export function watchStalls({ clock, log }: { readonly clock: Clock; readonly log: Log }): Disposable {
  let lastMs = performance.now();
  let longestMs = 0;
  const noteDelay = (): void => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs - RESOLUTION_MS);
    lastMs = nowMs;
  };
  const ticks = setInterval(noteDelay, RESOLUTION_MS).unref();
  const timer = clock.every(PERIOD_MS, () => {
    // This timer may run before the delayed one.
    noteDelay();
    const stalledMs = Math.round(longestMs);
    longestMs = 0;
    if (stalledMs > STALL_MS) log.warn({ stalled_ms: stalledMs }, 'event loop was blocked');
  });
  return {
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      clearInterval(ticks);
    },
  };
}
