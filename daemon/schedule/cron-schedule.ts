import { Cron } from 'croner';
import { dateProblem, fiveFields } from '../../shared/schemas/cron.ts';

/** Returns the first time after `afterMs`, in epoch milliseconds; undefined: there is none. */
export type CronSchedule = (afterMs: number) => number | undefined;

/**
 * Parses a schedule in cron syntax (completion 1.13). If daylight saving time skips a time, it runs right after the
 * skip. If the clock is set back, a fixed time runs only once.
 *
 * @param text a text without a problem (`cronProblem`)
 * @param zone IANA name; undefined: the zone of this machine
 */
export function cronSchedule(text: string, zone: string | undefined): CronSchedule {
  if (dateProblem(text) !== undefined) return () => undefined;
  const cron = new Cron(fiveFields(text), {
    paused: true,
    mode: '5-part',
    ...(zone === undefined ? {} : { timezone: zone }),
  });
  return (afterMs) => cron.nextRun(new Date(afterMs))?.getTime();
}
