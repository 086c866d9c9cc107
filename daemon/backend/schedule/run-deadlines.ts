import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';
import type { Change, PlanningClock } from '../ports.ts';
import { Deadlines, type Deadline } from './deadlines.ts';

/** The dependencies of `runDeadlines`. */
export interface DeadlineDependencies {
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly clock: PlanningClock;
  readonly log: Log;
}

/** The deadlines of one kind of objects in the registry, and the tasks that run when a deadline is due. */
export interface DeadlineRules {
  /** Log message for a task that failed, such as `a stash that ended was not removed`. */
  readonly failure: string;
  /** Yields the deadlines of all objects of this kind; called once, when `runDeadlines` starts. */
  atStart(): Iterable<Deadline>;
  /** Yields the deadlines of the object that a committed change created or updated. */
  after(change: Change): Iterable<Deadline>;
  /**
   * Runs the task of a due deadline. Returns undefined if there is nothing to do: the object has changed since, or the
   * task was already done.
   */
  run(id: string): Promise<void> | undefined;
}

/** Maximum delay of the timer in milliseconds, so that deadlines are checked soon after a suspended host resumes. */
const SLEEP_MS_MAX = 60_000;
/** Delay in milliseconds before a failed task is retried. */
const RETRY_MS = 1000;

/**
 * Runs tasks at times that are stored in the objects of the registry, with a single timer. After a restart the times
 * are read from the objects again, so no deadline is lost.
 */
export function runDeadlines(parts: DeadlineDependencies, rules: DeadlineRules): Disposable {
  const { commits, clock, log } = parts;
  // Deadlines use the steady clock, which ignores changes of the system clock. If the system clock is corrected, all
  // stored future times are shifted by the same amount, so they do not change on the steady clock.
  const deadlines = new Deadlines();
  // A pending deadline is added only once. If the commit of a task yields the same deadline twice, the number of
  // deadlines would otherwise double with each run.
  const pending = new Set<string>();
  const add = ({ atMs: wallMs, id }: Deadline): void => {
    // The due time is rounded up, because a task that runs too early does nothing.
    const deadline = { atMs: Math.ceil(wallMs - clock.now() + clock.steady()), id };
    const key = keyOf(deadline);
    if (pending.has(key)) return;
    pending.add(key);
    deadlines.add(deadline);
  };
  let timer: Disposable | undefined;
  let isClosed = false;

  const sleep = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    const { next } = deadlines;
    if (isClosed || next === undefined) return;
    const waitMs = Math.min(Math.max(0, next.atMs - clock.steady()), SLEEP_MS_MAX);
    timer = clock.after(waitMs, wake);
  };
  const wake = (): void => {
    for (const deadline of deadlines.due(clock.steady())) {
      pending.delete(keyOf(deadline));
      const { id } = deadline;
      rules.run(id)?.catch((error: unknown) => {
        log.warn({ id, reason: errorMessage(error) }, rules.failure);
        add({ atMs: clock.now() + RETRY_MS, id });
        sleep();
      });
    }
    sleep();
  };

  for (const deadline of rules.atStart()) add(deadline);
  const listening = commits.onCommit(({ changes }) => {
    let isNew = false;
    for (const change of changes) {
      for (const deadline of rules.after(change)) {
        add(deadline);
        isNew = true;
      }
    }
    if (isNew) sleep();
  });
  sleep();
  return {
    [Symbol.dispose]: () => {
      isClosed = true;
      listening[Symbol.dispose]();
      timer?.[Symbol.dispose]();
    },
  };
}

function keyOf({ atMs, id }: Deadline): string {
  return `${String(atMs)} ${id}`;
}
