import { isInSubdues } from '../../shared/domain/subdues.ts';
import { isInWindow, parseTimeWindows } from '../../shared/domain/time-window.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { machineTimeZone, timeZoneOf } from '../../shared/schemas/time-zone.ts';

/** Whether a check is not to be run at a moment, epoch milliseconds. */
export type Subdue = (nowMs: number) => boolean;

/**
 * The subdue windows of a check: those by days, in its own time zone or else in that of this machine (reference 2.2.1),
 * and the repeated ones of Sensu Go, whose times have an offset.
 */
export function subdueOf({ subdue, subdues = [], timezone }: SubduedCheck): Subdue {
  if (subdue === undefined) return (nowMs) => isInSubdues(subdues, nowMs);
  const windows = parseTimeWindows(subdue);
  const zone = timezone === undefined ? undefined : timeZoneOf(timezone);
  return (nowMs) => isInWindow(windows, nowMs, zone ?? localZone()) || isInSubdues(subdues, nowMs);
}

type SubduedCheck = Pick<CheckDefinition, 'subdue' | 'subdues' | 'timezone'>;

/** Asked each time, because the clock of a machine in a zone without a name is set forward and back as well. */
export function localZone(): string {
  return machineTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone, new Date().getTimezoneOffset());
}
