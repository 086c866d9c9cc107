import type { Log } from '../log/log.ts';
import type { Clock } from '../clock/clock.ts';
import type { Spool } from './spool.ts';

const SPOOL_CHECK_MS = 1000;
/** Minimum time between two log records about the same problem. */
const LOG_EVERY_MS = 60_000;

interface SpoolWatchParts {
  readonly spool: Pick<Spool, 'trouble' | 'name'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the spool begins to fail, works again or gets another name. */
  readonly onChange: () => void;
}

/**
 * Polls the spool every second. Logs when the spool fails and when it works again, and calls `onChange`, which reports
 * the change to the backend.
 */
export function watchSpool({ spool, clock, log, onChange }: SpoolWatchParts): Disposable {
  let loggedAtMs: number | undefined;
  let { name } = spool;
  const look = (): void => {
    const { trouble } = spool;
    const isNewName = name !== spool.name;
    ({ name } = spool);
    const wasFailing = loggedAtMs !== undefined;
    if (trouble !== undefined && (loggedAtMs === undefined || clock.monotonic() - loggedAtMs >= LOG_EVERY_MS)) {
      const { reason, unsaved, dropped } = trouble;
      log.error({ reason, unsaved, dropped }, 'cannot write results to disk: keeping the results in memory');
      loggedAtMs = clock.monotonic();
    }
    if (trouble === undefined && wasFailing) {
      log.info({}, 'writing results to disk works again');
      loggedAtMs = undefined;
    }
    if (isNewName || wasFailing !== (trouble !== undefined)) onChange();
  };
  look();
  return clock.every(SPOOL_CHECK_MS, look);
}
