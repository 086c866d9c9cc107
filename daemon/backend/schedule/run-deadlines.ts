import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { CommitBoard } from '../commit/commit-board.ts';
import type { Change, PlanningClock } from '../ports.ts';
import { Deadlines, type Deadline } from './deadlines.ts';

/** What is needed to run what is due. */
export interface DeadlineParts {
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly clock: PlanningClock;
  readonly log: Log;
}

/** What is due when, told by the registry. */
export interface DeadlineRules {
  /** For the log: what could not be written, `expired stash could not be removed`. */
  readonly failure: string;
  /** Everything that is due some day, asked once. */
  atStart(): Iterable<Deadline>;
  /** What a committed change makes due. */
  after(change: Change): Iterable<Deadline>;
  /** What to do now; undefined: nothing, since it is no longer so. It may be asked once too often. */
  run(id: string): Promise<void> | undefined;
}

/** Longest sleep, so that a machine that slept is noticed. */
const SLEEP_MS_MAX = 60_000;
/** How long something waits that could not be written. */
const RETRY_MS = 1000;

/** Runs what is due by absolute times in the registry, with one timer for all of it; so a restart loses none. */
export function runDeadlines(parts: DeadlineParts, rules: DeadlineRules): Disposable {
  const { commits, clock, log } = parts;
  // On the scale that no correction moves: what is due when is moved with the clock, and so stays where it is.
  const deadlines = new Deadlines();
  // What is announced again is due as it was: where each run announces something, there would be twice as many each time.
  const pending = new Set<string>();
  const add = ({ atMs: wallMs, id }: Deadline): void => {
    // Up: who is asked before the time has come does nothing.
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
