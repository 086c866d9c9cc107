import { errorMessage } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Log } from '../../log/log.ts';
import { runTimetable, type RunningTimetable } from '../../schedule/run-timetable.ts';
import { subdueOf } from '../../schedule/subdue.ts';
import { timetableOf } from '../../schedule/timetable.ts';
import type { Definitions, NamedCheck } from '../model/config/definitions.ts';
import type { PlanningClock } from '../ports.ts';

interface PublisherDependencies {
  readonly definitions: Definitions;
  readonly clock: PlanningClock;
  readonly log: Log;
  /**
   * Asks the agents of a namespace to run a check.
   *
   * @param untilNextMs milliseconds until the next scheduled run of the check; undefined if there is none
   */
  readonly publish: (namespace: string, check: NamedCheck, untilNextMs: number | undefined) => Promise<void>;
  /** Returns the namespaces whose checks are scheduled; by default only the namespace `default`. */
  readonly namespaces?: () => Iterable<string>;
}

/** The schedule by which the backend requests check runs from agents. */
export interface CheckSchedule extends Disposable {
  /** Returns the time of a check's next scheduled run in epoch milliseconds, or undefined if there is none. */
  nextRunMs(namespace: string, check: string): number | undefined;
}

/** A scheduled check and its namespace. */
interface TimetableEntry {
  readonly namespace: string;
  readonly check: NamedCheck;
}

interface RunningSchedule {
  /** The current definition of the check. A new definition with the same timing replaces it. */
  check: NamedCheck;
  /** The interval, cron expression and time zone that the timetable was built from, as JSON. */
  readonly timing: string;
  readonly timetable: RunningTimetable;
}

/**
 * Asks agents to run the scheduled checks. A check runs at its own offset in its interval, or by its cron schedule, but
 * not while it is subdued. After a configuration reload, a check with the same timing keeps its timetable. Every
 * request uses the newest definition.
 */
export function publishCheckRequests(parts: PublisherDependencies): CheckSchedule {
  const { definitions, clock, namespaces = () => [DEFAULT_NAMESPACE] } = parts;
  const running = new Map<string, RunningSchedule>();

  function scheduledChecks(): Map<string, TimetableEntry> {
    const scheduled = new Map<string, TimetableEntry>();
    for (const namespace of namespaces()) {
      for (const check of definitions.inNamespace(namespace).checks()) {
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
      const run = runTimetable(clock, timetable, (nowMs) => publishRequest(parts, { namespace, name }, nowMs, run));
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
 * Returns the key of a check's timetable; the offset of the check in its interval is derived from the key. In the
 * namespace `default` the key is the name of the check. In other namespaces it begins with the namespace.
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

function publishRequest(
  parts: PublisherDependencies,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  nowMs: number,
  { nextMs }: RunningTimetable,
): void {
  const { definitions, log } = parts;
  const check = definitions.inNamespace(namespace).check(name);
  if (check === undefined) return;
  if (subdueOf(check)(nowMs)) {
    log.info({ check: name }, 'check request was subdued');
    return;
  }
  // A failed request is not retried, because the next scheduled run sends a new request.
  parts
    .publish(namespace, check, nextMs === undefined ? undefined : nextMs - nowMs)
    .catch((error: unknown) =>
      log.error({ check: name, reason: errorMessage(error) }, 'check request could not be sent'),
    );
}
