import type { HandlerVerdict, VerdictKind } from '../../../shared/schemas/explain.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';
import type { HandlingNote } from '../model/notify/route.ts';

/**
 * The log level and message of each verdict, as in Sensu (completion 1.8). A verdict without an entry is not logged.
 */
const MESSAGES: Readonly<Partial<Record<VerdictKind, { readonly level: 'info' | 'error'; readonly message: string }>>> =
  {
    disabled: { level: 'info', message: 'event handling disabled for event' },
    action: { level: 'info', message: 'handler does not handle action' },
    severity: { level: 'info', message: 'handler does not handle event severity' },
    silenced: { level: 'info', message: 'handler is silenced' },
    inhibited: { level: 'info', message: 'event is inhibited' },
    filtered: { level: 'info', message: 'event was filtered' },
    overflow: { level: 'error', message: 'handler queue is full, event was not handled' },
    unknown_handler: { level: 'error', message: 'unknown handler' },
    nested_set: { level: 'error', message: 'handler sets cannot be deeply nested' },
    unknown_pipeline: { level: 'error', message: 'unknown pipeline' },
    empty_pipeline: { level: 'error', message: 'pipeline has no workflows' },
  };

/**
 * Minimum time between two log records of the same error, because a defect in the configuration affects every event.
 */
const REPEAT_MS = 60_000;

/** Maximum number of errors whose last log record is remembered. Results can name any number of wrong handlers. */
const REMEMBERED_MAX = 1000;

interface LogParts {
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Logs which handlers are not notified of an event, and why, after each commit.
 *
 * @returns an object that ends the logging when it is disposed
 */
export function logHandling({ commits, clock, log }: LogParts): Disposable {
  const errors = new RateLimitedErrors(clock, log);
  return commits.onCommit(({ handlingNotes }) => {
    for (const note of handlingNotes) logNote(note, log, errors);
  });
}

function logNote({ verdicts, namespace, ...event }: HandlingNote, log: Log, errors: RateLimitedErrors): void {
  const eventFields = namespace === DEFAULT_NAMESPACE ? event : { namespace, ...event };
  for (const { verdict, defects = [], ...why } of verdicts) {
    for (const { filter, problem, reason } of defects) {
      errors.error({ filter, reason, ...eventFields, handler: why.handler }, problem, filter);
    }
    const entry = MESSAGES[verdict];
    if (entry === undefined) continue;
    if (entry.level === 'error')
      errors.error({ ...whyFields(verdict, why), ...eventFields }, entry.message, why.handler);
    else log.info({ ...whyFields(verdict, why), ...eventFields }, entry.message);
  }
}

/** Returns the log fields of a verdict. The verdict `disabled` applies to all handlers, so its fields name none. */
function whyFields(verdict: VerdictKind, why: Omit<HandlerVerdict, 'verdict' | 'defects'>): object {
  if (verdict !== 'disabled') return why;
  const { handler: _all, ...fields } = why;
  return fields;
}

/** Logs equal errors at most once a minute, with the number of those that were omitted since the last record. */
class RateLimitedErrors {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #logged = new Map<string, { readonly untilMs: number; omitted: number }>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Logs an error, unless an equal one was logged within the last minute.
   *
   * @param subject the name of the handler or filter; errors with the same message and the same subject are equal
   */
  error(fields: object, message: string, subject: string): void {
    const key = `${message} ${subject}`;
    const nowMs = this.#clock.monotonic();
    const before = this.#logged.get(key);
    if (before !== undefined && nowMs < before.untilMs) {
      before.omitted++;
      return;
    }
    const omitted = before?.omitted ?? 0;
    this.#log.error({ ...fields, ...(omitted > 0 && { omitted }) }, message);
    this.#logged.delete(key);
    this.#logged.set(key, { untilMs: nowMs + REPEAT_MS, omitted: 0 });
    const [oldest] = this.#logged.keys();
    if (this.#logged.size > REMEMBERED_MAX && oldest !== undefined) this.#logged.delete(oldest);
  }
}
