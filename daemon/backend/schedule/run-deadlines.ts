import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';
import type { Change, PlanningClock } from '../ports.ts';
import { Deadlines, type Deadline } from './deadlines.ts';

/** The dependencies of `runDeadlines`. */
export interface DeadlineParts {
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly clock: PlanningClock;
  readonly log: Log;
}

/** Determines the deadlines of the objects in the registry. */
export interface DeadlineRules {
  /** Log message for a failed write, such as `a stash that ended was not removed`. */
  readonly failure: string;
  /** Yields all future deadlines, at the start. */
  atStart(): Iterable<Deadline>;
  /** Yields the deadlines that a committed change creates. */
  after(change: Change): Iterable<Deadline>;
  /** Runs a due task; undefined: there is nothing to do any more. It may be called once too often. */
  run(id: string): Promise<void> | undefined;
}

/** Maximum sleep, so that a suspension of the machine is noticed. */
const SLEEP_MS_MAX = 60_000;
/** Delay before a failed write is retried. */
const RETRY_MS = 1000;

/** Runs tasks at the absolute times in the registry, with a single timer, so that a restart loses none. */
export function runDeadlines(parts: DeadlineParts, rules: DeadlineRules): Disposable {
  const { commits, clock, log } = parts;
  // On the steady scale: future times are shifted with the clock, so they stay the same on this scale.
  const deadlines = new Deadlines();
  // Pending deadlines are deduplicated: otherwise a run that announces a change would double their number each time.
  const pending = new Set<string>();
  const add = ({ atMs: wallMs, id }: Deadline): void => {
    // Rounded up, because a task that runs too early does nothing.
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
