import { errorMessage } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Log } from '../../log/log.ts';
import { runTimetable, type RunningTimetable } from '../../schedule/run-timetable.ts';
import { subdueOf } from '../../schedule/subdue.ts';
import { timetableOf } from '../../schedule/timetable.ts';
import type { Definitions, NamedCheck } from '../config/definitions.ts';
import type { PlanningClock } from '../ports.ts';

interface PublisherParts {
  readonly definitions: Definitions;
  readonly clock: PlanningClock;
  readonly log: Log;
  /**
   * Asks the agents of a namespace to run a check.
   *
   * @param untilNextMs how long it is until the check is due again; undefined: it never is
   */
  readonly publish: (namespace: string, check: NamedCheck, untilNextMs: number | undefined) => Promise<void>;
  /** The namespaces with checks; default: `default` alone. */
  readonly namespaces?: () => Iterable<string>;
}

/** What the backend runs by the clock. */
export interface CheckSchedule extends Disposable {
  /** When a check of a namespace is asked for next, epoch milliseconds; undefined: by nobody or never again. */
  nextRunMs(namespace: string, check: string): number | undefined;
}

/** A check that is asked for, by the key under which its timetable is kept. */
interface Wanted {
  readonly namespace: string;
  readonly check: NamedCheck;
}

interface Running {
  /** What it runs by; another one with the same timing may take its place. */
  check: NamedCheck;
  /** What the timetable was made of. */
  readonly timing: string;
  readonly timetable: RunningTimetable;
}

/**
 * Asks the agents to run the checks of their subscriptions, each check at its own place in its interval or by its cron
 * schedule, but for the times at which it is subdued. After a reload checks with the same timing go on in step, and every
 * request is made of the newest definition.
 */
export function publishCheckRequests(parts: PublisherParts): CheckSchedule {
  const { definitions, clock, namespaces = () => [DEFAULT_NAMESPACE] } = parts;
  const running = new Map<string, Running>();

  function wantedChecks(): Map<string, Wanted> {
    const wanted = new Map<string, Wanted>();
    for (const namespace of namespaces()) {
      for (const check of definitions.in(namespace).checks()) {
        if (isAskedFor(check)) wanted.set(keyOf(namespace, check.name), { namespace, check });
      }
    }
    return wanted;
  }

  function follow(): void {
    const wanted = wantedChecks();
    for (const [key, run] of running) {
      const check = wanted.get(key)?.check;
      if (check !== undefined && (check === run.check || timingOf(check) === run.timing)) {
        run.check = check;
        continue;
      }
      run.timetable[Symbol.dispose]();
      running.delete(key);
    }
    for (const [key, { namespace, check }] of wanted) {
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

/** In `default` the name alone: the place of a check in its interval follows from the key. */
function keyOf(namespace: string, check: string): string {
  return namespace === DEFAULT_NAMESPACE ? check : `${namespace}/${check}`;
}

function isAskedFor({ standalone, publish: isPublished }: NamedCheck): boolean {
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
  // The next run asks again.
  parts
    .publish(namespace, check, nextMs === undefined ? undefined : nextMs - nowMs)
    .catch((error: unknown) =>
      log.error({ check: name, reason: errorMessage(error) }, 'check request could not be sent'),
    );
}
