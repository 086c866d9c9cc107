import { Cron } from 'croner';
import { dateProblem } from '../../shared/schemas/cron.ts';

/** What croner does not know of, or writes in another way. */
const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const FIELDS = 5;

/**
 * The first moment after `afterMs`, epoch milliseconds; undefined when there is none.
 */
export type CronSchedule = (afterMs: number) => number | undefined;

/**
 * A schedule in cron syntax (completion 1.13). Where the clock is put forward, a moment that it skips comes right after;
 * where it is put back, a moment at a fixed time comes once.
 *
 * @param text without a problem (`cronProblem`)
 * @param zone IANA name; undefined: that of this machine
 */
export function cronSchedule(text: string, zone: string | undefined): CronSchedule {
  if (dateProblem(text) !== undefined) return () => undefined;
  // A sixth field is tolerated and has no meaning.
  const pattern = SHORTHANDS.get(text.toLowerCase()) ?? text.trim().split(/\s+/).slice(0, FIELDS).join(' ');
  const cron = new Cron(pattern, { paused: true, mode: '5-part', ...(zone === undefined ? {} : { timezone: zone }) });
  return (afterMs) => cron.nextRun(new Date(afterMs))?.getTime();
}
