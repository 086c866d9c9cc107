import type { HandlerVerdict, VerdictKind } from '../../../shared/schemas/explain.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { CommitBoard } from '../commit/commit-board.ts';
import type { HandlingNote } from './event-handling.ts';

/** How each verdict is said, in the words of the peer (completion 1.8). What is not here is not said. */
const SAID: Readonly<Partial<Record<VerdictKind, { readonly level: 'info' | 'error'; readonly message: string }>>> = {
  disabled: { level: 'info', message: 'event handling disabled for event' },
  action: { level: 'info', message: 'handler does not handle action' },
  severity: { level: 'info', message: 'handler does not handle event severity' },
  silenced: { level: 'info', message: 'handler is silenced' },
  inhibited: { level: 'info', message: 'event is inhibited' },
  filtered: { level: 'info', message: 'event was filtered' },
  overflow: { level: 'error', message: 'the handler cannot keep up, the event is not handled' },
  unknown_handler: { level: 'error', message: 'unknown handler' },
  nested_set: { level: 'error', message: 'handler sets cannot be deeply nested' },
};

/** A defect of the configuration comes with every event: it is said once in this time, and how often in between. */
const REPEAT_MS = 60_000;

/** Most defects that are remembered: the names of handlers come from results as well. */
const REMEMBERED_MAX = 1000;

interface LogParts {
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Says of each committed event which of its handlers does not run, and why. */
export function logHandling({ commits, clock, log }: LogParts): Disposable {
  const errors = new SeldomErrors(clock, log);
  return commits.onCommit(({ handlingNotes }) => {
    for (const note of handlingNotes) logNote(note, log, errors);
  });
}

function logNote({ verdicts, namespace, ...event }: HandlingNote, log: Log, errors: SeldomErrors): void {
  const about = namespace === DEFAULT_NAMESPACE ? event : { namespace, ...event };
  for (const { verdict, defects = [], ...why } of verdicts) {
    for (const { filter, problem, reason } of defects) {
      errors.error({ filter, reason, ...about, handler: why.handler }, problem, filter);
    }
    const said = SAID[verdict];
    if (said === undefined) continue;
    if (said.level === 'error') errors.error({ ...whyFields(verdict, why), ...about }, said.message, why.handler);
    else log.info({ ...whyFields(verdict, why), ...about }, said.message);
  }
}

/** What is disabled is so for all handlers of the event. */
function whyFields(verdict: VerdictKind, why: Omit<HandlerVerdict, 'verdict' | 'defects'>): object {
  if (verdict !== 'disabled') return why;
  const { handler: _all, ...rest } = why;
  return rest;
}

/** Errors that would be a flood if each of them were said. */
class SeldomErrors {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #said = new Map<string, { readonly untilMs: number; leftOut: number }>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** @param about together with the message: what counts as the same error */
  error(fields: object, message: string, about: string): void {
    const key = `${message} ${about}`;
    const nowMs = this.#clock.monotonic();
    const before = this.#said.get(key);
    if (before !== undefined && nowMs < before.untilMs) {
      before.leftOut++;
      return;
    }
    const leftOut = before?.leftOut ?? 0;
    this.#log.error({ ...fields, ...(leftOut > 0 && { left_out: leftOut }) }, message);
    this.#said.delete(key);
    this.#said.set(key, { untilMs: nowMs + REPEAT_MS, leftOut: 0 });
    const [oldest] = this.#said.keys();
    if (this.#said.size > REMEMBERED_MAX && oldest !== undefined) this.#said.delete(oldest);
  }
}
