import { isInWindow, parseTimeWindows } from '../../shared/domain/time-window.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { machineTimeZone, timeZoneOf } from '../../shared/schemas/time-zone.ts';

/** Whether a check is not to be run at a moment, epoch milliseconds. */
export type Subdue = (nowMs: number) => boolean;

/** By the windows of a check, in its own time zone or else in that of this machine (reference 2.2.1). */
export function subdueOf({ subdue, timezone }: Pick<CheckDefinition, 'subdue' | 'timezone'>): Subdue {
  if (subdue === undefined) return () => false;
  const windows = parseTimeWindows(subdue);
  const zone = timezone === undefined ? undefined : timeZoneOf(timezone);
  return (nowMs) => isInWindow(windows, nowMs, zone ?? localZone());
}

/** Asked each time, because the clock of a machine in a zone without a name is set forward and back as well. */
export function localZone(): string {
  return machineTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone, new Date().getTimezoneOffset());
}
