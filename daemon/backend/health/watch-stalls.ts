import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';

const PERIOD_MS = 1000;
/** How finely delays are measured. */
const RESOLUTION_MS = 10;
/** Longer than anything that one task may take (security S11). */
const STALL_MS = 100;

/** Says in the log when one task has held up all others, at most once a second. */
export function watchStalls({ clock, log }: { readonly clock: Clock; readonly log: Log }): Disposable {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const timer = clock.every(PERIOD_MS, () => {
    const stalledMs = Math.round(delay.max / 1e6);
    delay.reset();
    if (stalledMs > STALL_MS) log.warn({ stalled_ms: stalledMs }, 'one task held up all others');
  });
  return {
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      delay.disable();
    },
  };
}
