import { isInSubdues } from '../../shared/domain/subdues.ts';
import { isInWindow, parseTimeWindows } from '../../shared/domain/time-window.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { machineTimeZone, timeZoneOf } from '../../shared/schemas/time-zone.ts';

/** Returns true if a check must not run at a time in epoch milliseconds. */
export type Subdue = (nowMs: number) => boolean;

/**
 * Returns a function that tests whether a time is in a subdue window of a check. Windows by day use the time zone of
 * the check, or else that of this host (reference 2.2.1). The repeated windows of Sensu Go have times with a UTC
 * offset.
 */
export function subdueOf({ subdue, subdues = [], timezone }: SubduedCheck): Subdue {
  if (subdue === undefined) return (nowMs) => isInSubdues(subdues, nowMs);
  const windows = parseTimeWindows(subdue);
  const zone = timezone === undefined ? undefined : timeZoneOf(timezone);
  return (nowMs) => isInWindow(windows, nowMs, zone ?? machineZone()) || isInSubdues(subdues, nowMs);
}

type SubduedCheck = Pick<CheckDefinition, 'subdue' | 'subdues' | 'timezone'>;

/**
 * Returns the time zone of this machine. Not cached, because a zone without a name also changes with daylight saving
 * time.
 */
export function machineZone(): string {
  return machineTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone, new Date().getTimezoneOffset());
}
