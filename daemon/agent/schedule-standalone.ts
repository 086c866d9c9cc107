import type { CheckDefinition } from '../../shared/schemas/check.ts';
import type { Log } from '../log/log.ts';
import { runTimetable } from '../schedule/run-timetable.ts';
import { subdueOf } from '../schedule/subdue.ts';
import { timetableOf } from '../schedule/timetable.ts';
import { withLocalDefinition } from './local-definition.ts';
import type { PlanningClock } from '../clock/clock.ts';
import type { StartCheck } from './ports.ts';

interface StandaloneDependencies {
  /** The name of this client. It spreads the start times of checks over the clients. */
  readonly client: string;
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  readonly clock: PlanningClock;
  readonly log: Log;
  readonly start: StartCheck;
}

/**
 * Schedules the standalone checks of this machine until the returned object is disposed of. Those are the checks with
 * `standalone: true` and without `publish: false` (reference 2.2). A check does not start while it is subdued.
 */
export function scheduleStandalone({ client, checks, clock, log, start }: StandaloneDependencies): Disposable {
  const running = new DisposableStack();
  for (const [name, check] of checks) {
    if (check.standalone !== true || check.publish === false) continue;
    const timetable = timetableOf(`${client}:${name}`, check);
    if (timetable === undefined) continue;
    const isSubdued = subdueOf(check);
    const run = (nowMs: number): void => {
      if (isSubdued(nowMs)) log.info({ check: name }, 'check execution was subdued');
      else start(withLocalDefinition({ name, issued: Math.floor(nowMs / 1000) }, check));
    };
    running.use(runTimetable(clock, timetable, run));
  }
  return running;
}
