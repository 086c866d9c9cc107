import { performance } from 'node:perf_hooks';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';

const PERIOD_MS = 1000;
/** The interval at which a timer measures the delay of the event loop. */
const RESOLUTION_MS = 20;
/** The delay above which a stall is logged. No single task may take that long (security S11). */
const STALL_MS = 100;

/**
 * Logs once per second the longest time for which the event loop was blocked, if it exceeds `STALL_MS`.
 *
 * `monitorEventLoopDelay` of Node.js cannot be used: after each `reset` its first tick only sets the start time, so it
 * misses a stall that begins before that tick.
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
    // Measure now too, because this timer may run before the delayed measuring timer.
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
