import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import { runTimetable, type RunningTimetable } from '../../schedule/run-timetable.ts';
import { subdueOf } from '../../schedule/subdue.ts';
import { timetableOf } from '../../schedule/timetable.ts';
import type { Definitions, NamedCheck } from '../config/definitions.ts';
import type { Clock } from '../ports.ts';

interface PublisherParts {
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Asks the agents to run a check.
   *
   * @param untilNextMs how long it is until the check is due again; undefined: it never is
   */
  readonly publish: (check: NamedCheck, untilNextMs: number | undefined) => Promise<void>;
}

/** What the backend runs by the clock. */
export interface CheckSchedule extends Disposable {
  /** When a check is asked for next, epoch milliseconds; undefined: by nobody or never again. */
  nextRunMs(check: string): number | undefined;
}

interface Running {
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
  const { definitions, clock } = parts;
  const running = new Map<string, Running>();

  function follow(): void {
    const wanted = new Map([...definitions.checks()].filter(isAskedFor).map((check) => [check.name, check]));
    for (const [name, { timing, timetable }] of running) {
      const check = wanted.get(name);
      if (check !== undefined && timingOf(check) === timing) continue;
      timetable[Symbol.dispose]();
      running.delete(name);
    }
    for (const [name, check] of wanted) {
      const timetable = running.has(name) ? undefined : timetableOf(name, check);
      if (timetable === undefined) continue;
      const run = runTimetable(clock, timetable, (nowMs) => publish(parts, name, nowMs, run));
      running.set(name, { timing: timingOf(check), timetable: run });
    }
  }

  follow();
  const following = definitions.onChange(follow);
  return {
    nextRunMs: (check) => running.get(check)?.timetable.nextMs,
    [Symbol.dispose]: () => {
      following[Symbol.dispose]();
      for (const { timetable } of running.values()) timetable[Symbol.dispose]();
    },
  };
}

function isAskedFor({ standalone, publish: isPublished }: NamedCheck): boolean {
  return standalone !== true && isPublished !== false;
}

function timingOf({ interval, cron, timezone }: NamedCheck): string {
  return JSON.stringify([interval, cron, timezone]);
}

function publish(parts: PublisherParts, name: string, nowMs: number, { nextMs }: RunningTimetable): void {
  const { definitions, log } = parts;
  const check = definitions.check(name);
  if (check === undefined) return;
  if (subdueOf(check)(nowMs)) {
    log.info({ check: name }, 'check request was subdued');
    return;
  }
  // The next run asks again.
  parts
    .publish(check, nextMs === undefined ? undefined : nextMs - nowMs)
    .catch((error: unknown) => log.error({ check: name, reason: errorMessage(error) }, 'a check was not asked for'));
}
