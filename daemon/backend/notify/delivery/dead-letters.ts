import { MonError } from '../../../../shared/errors.ts';
import type { Actor } from '../../../../shared/schemas/audit.ts';
import type { DeadLetterSelection } from '../../../../shared/schemas/dead-letter.ts';
import type { JobFailure } from '../../../../shared/schemas/handler-job.ts';
import type { Log } from '../../../log/log.ts';
import { ReportLimiter } from '../../../log/rate-limit.ts';
import { BACKEND_ACTOR, type AuditedChange } from '../../model/audit/mutations.ts';
import type { JobWriter } from './job-writer.ts';
import type { Clock } from '../../ports.ts';
import type { QueuedJob } from './job-queue.ts';
import type { DeadLetterEntry, DeadLetterIndex } from './dead-letter-index.ts';

/**
 * The selection of the dead letters to retry or drop: all dead letters, those of one handler, or the dead letter with
 * an id.
 */
type DeadLetterSelectionOrId = DeadLetterSelection | { readonly id: number };

interface RemovalRequest {
  readonly kind: 'revive' | 'drop';
  readonly action: AuditedChange['action'];
  readonly actor: Actor;
}

interface DeadLettersDependencies {
  readonly deadLetterIndex: DeadLetterIndex;
  readonly jobWriter: JobWriter;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Maximum number of dead letters that an audit record lists. If a request retries or drops more dead letters, its audit
 * record lists the first 100 and has the total number.
 */
const DEAD_LETTERS_PER_AUDIT_RECORD_MAX = 100;
/** Maximum length of a stored failure reason, in UTF-16 units. A longer reason is truncated. */
const REASON_LENGTH_MAX = 500;

/** The dead-letter queue: handler runs that failed permanently, until they are retried or dropped. */
export class DeadLetters {
  /** Number of dead letters that were deleted because the dead-letter queue was full, since the backend started. */
  overflowDropCount = 0;
  readonly #deps: DeadLettersDependencies;
  readonly #index: DeadLetterIndex;
  /** The ids of the dead letters that a request is retrying or dropping. Other requests skip these dead letters. */
  readonly #claimedIds = new Set<number>();
  #enqueueRetry: (ticket: QueuedJob) => void = () => undefined;
  readonly #overflowReports: ReportLimiter;

  constructor(deps: DeadLettersDependencies) {
    this.#deps = deps;
    this.#index = deps.deadLetterIndex;
    this.#overflowReports = new ReportLimiter(deps.clock);
  }

  get size(): number {
    return this.#index.entries.size;
  }

  /** Returns all dead letters, in the order in which they failed. */
  all(): DeadLetterEntry[] {
    return [...this.#index.entries.values()];
  }

  get(id: number): DeadLetterEntry | undefined {
    return this.#index.entries.get(id);
  }

  /** Sets the function that puts the run of a retried dead letter into the queue of its handler. */
  setEnqueueRetry(enqueue: (ticket: QueuedJob) => void): void {
    this.#enqueueRetry = enqueue;
  }

  /**
   * Adds a stored dead letter to the index in memory. If the maximum number is then exceeded, deletes the oldest dead
   * letter that no request is retrying or dropping. Called for each stored dead letter at start, and by `add`.
   */
  addToIndex(ticket: QueuedJob, failure: JobFailure): void {
    const { attempts: _, ...attributes } = ticket;
    this.#index.entries.set(ticket.id, { ...attributes, ...failure });
    // A dead letter that a request is retrying or dropping at this moment must not be deleted.
    const oldest = this.#index.entries.size > this.#index.limit ? this.#findOldestUnclaimed() : undefined;
    if (oldest === undefined) return;
    this.#index.entries.delete(oldest.id);
    this.#deps.jobWriter.submit({ kind: 'drop', id: oldest.id });
    this.overflowDropCount++;
    this.#overflowReports.count((dropped) =>
      this.#deps.log.warn(
        { dropped, limit: this.#index.limit },
        'too many dead letters: the oldest dead letters were deleted',
      ),
    );
  }

  /**
   * Stores the failure of a run, which makes the run a dead letter. The index contains the dead letter after the
   * commit.
   */
  add(ticket: QueuedJob, { reason, attempts }: Omit<JobFailure, 'failed_at'>): void {
    const failure = { attempts, failed_at: this.#deps.clock.now(), reason: truncateReason(reason) };
    this.#deps.jobWriter.submit({ kind: 'bury', id: ticket.id, failure }, () => this.addToIndex(ticket, failure));
  }

  /**
   * Retries dead letters: each of their runs goes to the end of the queue of its handler.
   *
   * @returns the number of dead letters that are retried
   * @throws MonError `not_found` when there is no dead letter with the selected id or another request is retrying or
   * dropping it, `unavailable` when the commit fails
   */
  retry(selection: DeadLetterSelectionOrId, actor: Actor = BACKEND_ACTOR): Promise<number> {
    return this.#removeSelected(
      selection,
      { kind: 'revive', action: 'dead-letter.retry', actor },
      ({ failed_at: _failedAt, reason: _reason, ...ticket }) => this.#enqueueRetry({ ...ticket, attempts: 0 }),
    );
  }

  /**
   * Deletes dead letters without retrying them.
   *
   * @returns the number of dead letters that are deleted
   * @throws MonError `not_found` when there is no dead letter with the selected id or another request is retrying or
   * dropping it, `unavailable` when the commit fails
   */
  drop(selection: DeadLetterSelectionOrId, actor: Actor = BACKEND_ACTOR): Promise<number> {
    return this.#removeSelected(selection, { kind: 'drop', action: 'dead-letter.drop', actor }, () => undefined);
  }

  async #removeSelected(
    selection: DeadLetterSelectionOrId,
    { kind, action, actor }: RemovalRequest,
    onRemoved: (entry: DeadLetterEntry) => void,
  ): Promise<number> {
    const entries = this.#findSelected(selection).filter(({ id }) => !this.#claimedIds.has(id));
    if (entries.length === 0) {
      if ('id' in selection) throw new MonError('not_found', `there is no dead letter ${String(selection.id)}`);
      return 0;
    }
    for (const { id } of entries) this.#claimedIds.add(id);
    try {
      await this.#deps.jobWriter.commitWithAudit(
        entries.map(({ id }) => ({ kind, id })),
        actor,
        { action, ...deadLetterAuditFields(selection, entries) },
      );
    } finally {
      for (const { id } of entries) this.#claimedIds.delete(id);
    }
    for (const entry of entries) {
      this.#index.entries.delete(entry.id);
      onRemoved(entry);
    }
    return entries.length;
  }

  #findSelected(selection: DeadLetterSelectionOrId): DeadLetterEntry[] {
    if ('id' in selection) {
      const entry = this.#index.entries.get(selection.id);
      return entry === undefined ? [] : [entry];
    }
    return 'all' in selection ? this.all() : this.all().filter(({ handler }) => handler === selection.handler);
  }

  #findOldestUnclaimed(): DeadLetterEntry | undefined {
    for (const entry of this.#index.entries.values()) if (!this.#claimedIds.has(entry.id)) return entry;
    return undefined;
  }
}

/**
 * Returns the fields of the audit record about retried or dropped dead letters. If the request selected a dead letter
 * by its id, the fields describe that dead letter. Otherwise, they have the number of dead letters and describe the
 * first 100.
 */
function deadLetterAuditFields(
  selection: DeadLetterSelectionOrId,
  entries: readonly DeadLetterEntry[],
): Pick<AuditedChange, 'target' | 'before'> {
  const summaries = entries
    .slice(0, DEAD_LETTERS_PER_AUDIT_RECORD_MAX)
    .map(({ id, handler, client, check, attempts, reason }) => ({ id, handler, client, check, attempts, reason }));
  if ('id' in selection) return { target: String(selection.id), before: summaries[0] };
  return {
    target: 'all' in selection ? 'all' : selection.handler,
    before: { count: entries.length, letters: summaries },
  };
}

function truncateReason(reason: string): string {
  return reason.length > REASON_LENGTH_MAX ? `${reason.slice(0, REASON_LENGTH_MAX)}...` : reason;
}
