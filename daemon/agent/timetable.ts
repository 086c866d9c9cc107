import { createHash } from 'node:crypto';
import { nextRunDelayMs } from '../../shared/domain/schedule.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { timeZoneOf } from '../../shared/schemas/time-zone.ts';
import { cronSchedule } from '../cron/cron-schedule.ts';

/** When a check is due: the first moment after `afterMs`, epoch milliseconds; undefined: never again. */
export type Timetable = (afterMs: number) => number | undefined;

/**
 * When this machine itself runs a check: `standalone` and not `publish: false` (reference 2.2), by `cron` where there is
 * one, else every `interval` seconds, at a place in the interval that stays the same across restarts (completion 1.13).
 *
 * @returns undefined for a check that it does not run by itself
 */
export function timetableOf(client: string, name: string, check: CheckDefinition): Timetable | undefined {
  const { standalone, publish, cron, interval, timezone } = check;
  if (standalone !== true || publish === false) return undefined;
  if (cron !== undefined) return cronSchedule(cron, timezone === undefined ? undefined : timeZoneOf(timezone));
  if (interval === undefined) return undefined;
  const intervalMs = interval * 1000;
  const key = splayKey(client, name);
  return (afterMs) => {
    const fromMs = Math.floor(afterMs) + 1;
    return fromMs + nextRunDelayMs(key, intervalMs, fromMs);
  };
}

function splayKey(client: string, check: string): bigint {
  return createHash('md5').update(`${client}:${check}`).digest().readBigUInt64LE(0);
}
