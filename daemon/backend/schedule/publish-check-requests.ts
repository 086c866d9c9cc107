import { errorMessage } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Log } from '../../log/log.ts';
import { runTimetable, type RunningTimetable } from '../../schedule/run-timetable.ts';
import { subdueOf } from '../../schedule/subdue.ts';
import { timetableOf } from '../../schedule/timetable.ts';
import type { Definitions, NamedCheck } from '../model/config/definitions.ts';
import type { PlanningClock } from '../ports.ts';

interface PublisherParts {
  readonly definitions: Definitions;
  readonly clock: PlanningClock;
  readonly log: Log;
  /**
   * Requests a check run from the agents of a namespace.
   *
   * @param untilNextMs time until the check is due again; undefined: never
   */
  readonly publish: (namespace: string, check: NamedCheck, untilNextMs: number | undefined) => Promise<void>;
  /** The namespaces with checks; default: `default` alone. */
  readonly namespaces?: () => Iterable<string>;
}

/** The schedule of the backend's checks. */
export interface CheckSchedule extends Disposable {
  /** Returns the next scheduled run of a check, epoch milliseconds; undefined: there is none. */
  nextRunMs(namespace: string, check: string): number | undefined;
}

/** A scheduled check, by the key of its timetable. */
interface TimetableEntry {
  readonly namespace: string;
  readonly check: NamedCheck;
}

interface Running {
  /** The present definition; another one with the same timing may replace it. */
  check: NamedCheck;
  /** The timing from which the timetable was built. */
  readonly timing: string;
  readonly timetable: RunningTimetable;
}

/**
 * Requests check runs from the agents with their subscriptions. Each check has its own offset in its interval or a cron
 * schedule, except while it is subdued. After a reload checks with the same timing keep their timetable, and every
 * request uses the newest definition.
 */
export function publishCheckRequests(parts: PublisherParts): CheckSchedule {
  const { definitions, clock, namespaces = () => [DEFAULT_NAMESPACE] } = parts;
  const running = new Map<string, Running>();

  function scheduledChecks(): Map<string, TimetableEntry> {
    const scheduled = new Map<string, TimetableEntry>();
    for (const namespace of namespaces()) {
      for (const check of definitions.in(namespace).checks()) {
        if (isScheduled(check)) scheduled.set(keyOf(namespace, check.name), { namespace, check });
      }
    }
    return scheduled;
  }

  function follow(): void {
    const scheduled = scheduledChecks();
    for (const [key, run] of running) {
      const check = scheduled.get(key)?.check;
      if (check !== undefined && (check === run.check || timingOf(check) === run.timing)) {
        run.check = check;
        continue;
      }
      run.timetable[Symbol.dispose]();
      running.delete(key);
    }
    for (const [key, { namespace, check }] of scheduled) {
      const timetable = running.has(key) ? undefined : timetableOf(key, check);
      if (timetable === undefined) continue;
      const { name } = check;
      const run = runTimetable(clock, timetable, (nowMs) => publish(parts, { namespace, name }, nowMs, run));
      running.set(key, { check, timing: timingOf(check), timetable: run });
    }
  }

  follow();
  const following = definitions.onChange(follow);
  return {
    nextRunMs: (namespace, check) => running.get(keyOf(namespace, check))?.timetable.nextMs,
    [Symbol.dispose]: () => {
      following[Symbol.dispose]();
      for (const { timetable } of running.values()) timetable[Symbol.dispose]();
    },
  };
}

/**
 * Returns the key of a check: its name alone in `default`. The offset of a check in its interval depends on the key.
 */
function keyOf(namespace: string, check: string): string {
  return namespace === DEFAULT_NAMESPACE ? check : `${namespace}/${check}`;
}

function isScheduled({ standalone, publish: isPublished }: NamedCheck): boolean {
  return standalone !== true && isPublished !== false;
}

function timingOf({ interval, cron, timezone }: NamedCheck): string {
  return JSON.stringify([interval, cron, timezone]);
}

function publish(
  parts: PublisherParts,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  nowMs: number,
  { nextMs }: RunningTimetable,
): void {
  const { definitions, log } = parts;
  const check = definitions.in(namespace).check(name);
  if (check === undefined) return;
  if (subdueOf(check)(nowMs)) {
    log.info({ check: name }, 'check request was subdued');
    return;
  }
  // The next run retries.
  parts
    .publish(namespace, check, nextMs === undefined ? undefined : nextMs - nowMs)
    .catch((error: unknown) =>
      log.error({ check: name, reason: errorMessage(error) }, 'check request could not be sent'),
    );
}
