import type { HandlerVerdict, VerdictKind } from '../../../shared/schemas/explain.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';
import type { HandlingNote } from '../model/notify/route.ts';

/** The log messages of verdicts, as in Sensu (completion 1.8). Other verdicts are not logged. */
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

/** Least time between two records of the same error: a defect of the configuration occurs with every event. */
const REPEAT_MS = 60_000;

/** Most remembered errors: results can contain any handler names. */
const REMEMBERED_MAX = 1000;

interface LogParts {
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Logs for each committed event which handlers do not run, and why. */
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

/** Event handling is disabled for all handlers of an event, so no handler is named. */
function whyFields(verdict: VerdictKind, why: Omit<HandlerVerdict, 'verdict' | 'defects'>): object {
  if (verdict !== 'disabled') return why;
  const { handler: _all, ...fields } = why;
  return fields;
}

/** Logs equal errors once per interval, with the number of omitted ones. */
class RateLimitedErrors {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #logged = new Map<string, { readonly untilMs: number; omitted: number }>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** @param subject together with the message, identifies equal errors */
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
