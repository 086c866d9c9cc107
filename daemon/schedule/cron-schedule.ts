import { Cron } from 'croner';
import { dateProblem, fiveFields } from '../../shared/schemas/cron.ts';

/** Returns the first time after `afterMs`, in epoch milliseconds; undefined if there is none. */
export type CronSchedule = (afterMs: number) => number | undefined;

/**
 * Parses a schedule in cron syntax (completion 1.13). If daylight saving time skips a scheduled time, the run is due
 * right after the skip. If the clock is set back, a fixed time is due only once.
 *
 * @param text the schedule, for which `cronProblem` reports no problem
 * @param zone the IANA name of the time zone; undefined for the time zone of this host
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
