import { isInWindow, parseTimeWindows } from '../../shared/domain/time-window.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { timeZoneOf } from '../../shared/schemas/time-zone.ts';
import type { Log } from '../log/log.ts';
import { withLocalDefinition } from './local-definition.ts';
import type { Clock, StartCheck } from './ports.ts';
import { timetableOf, type Timetable } from './timetable.ts';

/** A clock that is set goes unnoticed for as long as one waits. */
const WAIT_MAX_MS = 3_600_000;

interface StandaloneDeps {
  /** Name of this client. */
  readonly client: string;
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  readonly clock: Clock;
  readonly log: Log;
  readonly start: StartCheck;
}

interface ScheduledRun {
  readonly name: string;
  readonly check: CheckDefinition;
  readonly timetable: Timetable;
  readonly isSubdued: (nowMs: number) => boolean;
}

/**
 * Starts the checks that this machine schedules itself, but for the times at which they are subdued. A run that was
 * missed (a machine that slept) is made up for once.
 */
export function scheduleStandalone({ client, checks, clock, log, start }: StandaloneDeps): Disposable {
  const timers = new Map<string, Disposable>();

  function schedule(run: ScheduledRun, dueMs: number | undefined): void {
    timers.delete(run.name);
    if (dueMs === undefined) return;
    const waitMs = Math.max(0, dueMs - clock.now());
    const wake = (): void => {
      const nowMs = clock.now();
      if (nowMs < dueMs && waitMs > WAIT_MAX_MS) {
        schedule(run, dueMs);
        return;
      }
      // A timer may be early by a moment, and the same run must not come again.
      schedule(run, run.timetable(Math.max(nowMs, dueMs)));
      if (run.isSubdued(nowMs)) log.info({ check: run.name }, 'check execution was subdued');
      else start(withLocalDefinition({ name: run.name, issued: Math.floor(nowMs / 1000) }, run.check));
    };
    timers.set(run.name, clock.after(Math.min(waitMs, WAIT_MAX_MS), wake));
  }

  for (const [name, check] of checks) {
    const timetable = timetableOf(client, name, check);
    if (timetable === undefined) continue;
    // A moment that is now counts as well.
    schedule({ name, check, timetable, isSubdued: subdueOf(check) }, timetable(clock.now() - 1));
  }
  return {
    [Symbol.dispose]: () => {
      for (const timer of timers.values()) timer[Symbol.dispose]();
    },
  };
}

/** The windows in which a check is not run, in its own time zone, or else in that of this machine. */
function subdueOf({ subdue, timezone }: CheckDefinition): (nowMs: number) => boolean {
  if (subdue === undefined) return () => false;
  const windows = parseTimeWindows(subdue);
  const zone = timeZoneOf(timezone ?? '') ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (nowMs) => isInWindow(windows, nowMs, zone);
}
