import type { HandlerVerdict, VerdictKind } from '../../../shared/schemas/explain.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';
import type { VerdictReport } from '../model/notify/routing.ts';

/**
 * The log level and message of each verdict, as in Sensu (completion 1.8). A verdict without an entry is not logged.
 */
const VERDICT_MESSAGES: Readonly<
  Partial<Record<VerdictKind, { readonly level: 'info' | 'error'; readonly message: string }>>
> = {
  disabled: { level: 'info', message: 'event handling disabled for event' },
  action: { level: 'info', message: 'handler does not handle action' },
  severity: { level: 'info', message: 'handler does not handle event severity' },
  silenced: { level: 'info', message: 'handler is silenced' },
  inhibited: { level: 'info', message: 'event is inhibited' },
  acknowledged: { level: 'info', message: 'event is acknowledged' },
  filtered: { level: 'info', message: 'event was filtered' },
  overflow: { level: 'error', message: 'handler queue is full, event was not handled' },
  nobody_on_call: { level: 'error', message: 'nobody is on call' },
  unknown_handler: { level: 'error', message: 'unknown handler' },
  nested_set: { level: 'error', message: 'handler sets cannot be deeply nested' },
  nested_escalation: { level: 'error', message: 'escalations cannot be nested' },
  unknown_pipeline: { level: 'error', message: 'unknown pipeline' },
  empty_pipeline: { level: 'error', message: 'pipeline has no workflows' },
};

/**
 * Minimum time in milliseconds between two log records of the same error. Without it, a defect in the configuration
 * would be logged for every event.
 */
const REPEATED_ERROR_INTERVAL_MS = 60_000;

/**
 * Maximum number of different errors that are tracked to limit repeated log records. It is needed because results can
 * name any number of undefined handlers.
 */
const REMEMBERED_ERRORS_MAX = 1000;

interface VerdictLogDependencies {
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Logs which handlers are not notified of an event, and why, after each commit.
 *
 * @returns an object that ends the logging when it is disposed
 */
export function logVerdicts({ commits, clock, log }: VerdictLogDependencies): Disposable {
  const errors = new RateLimitedErrorLog(clock, log);
  return commits.onCommit(({ handlingNotes }) => {
    for (const report of handlingNotes) logReport(report, log, errors);
  });
}

function logReport({ verdicts, namespace, ...event }: VerdictReport, log: Log, errors: RateLimitedErrorLog): void {
  const eventFields = namespace === DEFAULT_NAMESPACE ? event : { namespace, ...event };
  for (const { verdict, defects = [], ...details } of verdicts) {
    for (const { filter, problem, reason } of defects) {
      errors.error({ filter, reason, ...eventFields, handler: details.handler }, problem, filter);
    }
    const entry = VERDICT_MESSAGES[verdict];
    if (entry === undefined) continue;
    if (entry.level === 'error')
      errors.error({ ...verdictFields(verdict, details), ...eventFields }, entry.message, details.handler);
    else log.info({ ...verdictFields(verdict, details), ...eventFields }, entry.message);
  }
}

/** Returns the log fields of a verdict. The verdict `disabled` applies to all handlers, so its fields name none. */
function verdictFields(verdict: VerdictKind, details: Omit<HandlerVerdict, 'verdict' | 'defects'>): object {
  if (verdict !== 'disabled') return details;
  const { handler: _handler, ...fields } = details;
  return fields;
}

/**
 * Logs equal errors at most once a minute. Each record has the number of records that were omitted since the last one.
 */
class RateLimitedErrorLog {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #loggedErrors = new Map<string, { readonly omittedUntilMs: number; omitted: number }>();

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
    const previous = this.#loggedErrors.get(key);
    if (previous !== undefined && nowMs < previous.omittedUntilMs) {
      previous.omitted++;
      return;
    }
    const omitted = previous?.omitted ?? 0;
    this.#log.error({ ...fields, ...(omitted > 0 && { omitted }) }, message);
    this.#loggedErrors.delete(key);
    this.#loggedErrors.set(key, { omittedUntilMs: nowMs + REPEATED_ERROR_INTERVAL_MS, omitted: 0 });
    const [oldest] = this.#loggedErrors.keys();
    if (this.#loggedErrors.size > REMEMBERED_ERRORS_MAX && oldest !== undefined) this.#loggedErrors.delete(oldest);
  }
}
