import type { Log } from '../log/log.ts';
import type { Clock } from '../clock/clock.ts';
import type { Spool } from './spool.ts';

const LOOK_MS = 1000;
/** The shortest time between two log lines about the same problem. */
const LOG_EVERY_MS = 60_000;

interface SpoolWatchParts {
  readonly spool: Pick<Spool, 'trouble' | 'name'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the spool starts or stops to fail, or gets another name. */
  readonly onChange: () => void;
}

/** Polls the spool every second. Reports to the log and to the backend when the spool fails and when it works again. */
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
  return clock.every(LOOK_MS, look);
}
