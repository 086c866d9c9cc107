import { Cron } from 'croner';
import { dateProblem, fiveFields } from '../../shared/schemas/cron.ts';

/**
 * The first moment after `afterMs`, epoch milliseconds; undefined when there is none.
 */
export type CronSchedule = (afterMs: number) => number | undefined;

/**
 * A schedule in cron syntax (completion 1.13). Where the clock is put forward, a moment that it skips comes right
 * after; where it is put back, a moment at a fixed time comes once.
 *
 * @param text without a problem (`cronProblem`)
 * @param zone IANA name; undefined: that of this machine
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
