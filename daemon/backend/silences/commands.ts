import { MonError } from '../../../shared/errors.ts';
import { isExpired } from '../../../shared/domain/expiry.ts';
import { recurrenceProblem } from '../../../shared/domain/recurrence.ts';
import {
  toCurrentWindow,
  replacementProblem,
  silencedEntry,
  silencedId,
  silencedRow,
  targetId,
  type SilencedRequest,
} from '../../../shared/domain/silencing.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { LIFETIME_SECONDS_MAX } from '../../../shared/schemas/lifetime.ts';
import { SILENCES_MAX } from '../../../shared/schemas/fixed-limits.ts';
import type { SilencedEntry, SilenceIdle } from '../../../shared/schemas/silenced.ts';
import { idleReason } from '../../../shared/domain/silence-idle.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { backendActor, BACKEND_ACTOR, recordAudit, auditTarget } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import { refuseBeyondBudget } from '../model/silences/selector-budget.ts';
import {
  beginWindow,
  resumeWindow,
  announceSilence,
  removeSilenced,
  saveSilenced,
} from '../model/silences/mutations.ts';

/**
 * Returns the maximum number of silences in one namespace. It is called for each use, because a configuration reload
 * can change the number.
 */
export type SilencesMax = () => number;

export const DEFAULT_SILENCES_MAX: SilencesMax = () => SILENCES_MAX;

/**
 * Loads into memory the attributes that selectors refer to, for all clients and open events of a namespace. Rejects
 * invalid selectors.
 */
export type LoadSelectorAttributes = (namespace: string, selectors: readonly string[]) => Promise<void>;

/** Identifies a silence by its id or, if the id is missing, by its subscription and check. */
export interface SilencedTarget {
  readonly id?: string | null | undefined;
  readonly subscription?: string | null | undefined;
  readonly check?: string | null | undefined;
}

/** Creates and ends silences. */
export class SilencedEntries {
  readonly #batcher: Batcher;
  readonly #entriesMax: SilencesMax;
  readonly #loadSelectorAttributes: LoadSelectorAttributes;

  /** @param learn callback that loads into memory the attributes that selectors refer to */
  constructor(
    batcher: Batcher,
    entriesMax = DEFAULT_SILENCES_MAX,
    learn: LoadSelectorAttributes = async () => undefined,
  ) {
    this.#batcher = batcher;
    this.#entriesMax = entriesMax;
    this.#loadSelectorAttributes = learn;
  }

  /**
   * Loads into memory the attributes that selectors refer to. So a silence with one of these selectors takes effect as
   * soon as it is committed.
   *
   * @throws MonError `invalid` if a selector is invalid, `threshold` if the selectors of the namespace use too many
   *   attributes or cost too much
   */
  loadSelectorAttributes(namespaceName: string, selectors: readonly string[]): Promise<void> {
    return this.#loadSelectorAttributes(namespaceName, selectors);
  }

  /**
   * Creates a silence, or completely replaces the silence with the same id (completion 1.2).
   *
   * @throws MonError `invalid` if the times or the selector are invalid, `threshold` if the selectors of the namespace
   *   use too many attributes or cost too much, `conflict` if it would replace a recurring silence with a silence that
   *   does not recur, `not_found` if the namespace does not exist, `unavailable`
   */
  async create(namespaceName: string, request: SilencedRequest, actor: Actor = BACKEND_ACTOR): Promise<SilencedEntry> {
    const id = targetId(request);
    if (typeof request.selector === 'string') await this.loadSelectorAttributes(namespaceName, [request.selector]);
    return await this.write(namespaceName, id, (_before, nowMs) => silencedEntry(request, nowMs), actor);
  }

  /**
   * Stores the silence that a callback makes. It completely replaces the silence with the same id.
   *
   * @param make callback that gets the existing silence, or undefined if there is none or it has expired. It returns
   *   the new silence, or throws to reject the change
   * @param isStoredWhenOver true if a new silence that has already expired is stored until a timer removes it; false if
   *   it is not stored and only ends the silence that it replaces
   * @throws MonError `not_found` if the namespace does not exist, `invalid` if the times are invalid, `conflict` if it
   *   would replace a recurring silence with a silence that does not recur, `threshold` if the cost budget for
   *   selectors is used up, `unavailable`
   */
  write(
    namespaceName: string,
    id: string,
    make: (before: SilencedEntry | undefined, nowMs: number) => SilencedEntry,
    actor: Actor,
    { isStoredWhenOver = true }: { readonly isStoredWhenOver?: boolean } = {},
  ): Promise<SilencedEntry> {
    return this.#batcher.run((transaction) => {
      refuseUnknownNamespace(transaction.registry, namespaceName);
      const namespace = transaction.registry.namespace(namespaceName);
      const before = unexpiredEntry(namespace, id, transaction.nowMs);
      refuseTooMany(namespace, [id], this.#entriesMax());
      transaction.refuseNew(before);
      const entry = make(before, transaction.nowMs);
      if (before === undefined && entry.selector !== undefined) refuseBeyondBudget(namespace);
      const problem = timeProblem(entry, transaction.nowMs);
      if (problem !== undefined) throw new MonError('invalid', problem);
      const lost = replacementProblem(before, entry);
      if (lost !== undefined) throw new MonError('conflict', lost);
      if (!isStoredWhenOver && isExpired(entry, transaction.nowMs)) {
        if (before !== undefined) clearSilenced(transaction, namespace, before, actor);
        return entry;
      }
      saveSilenced(transaction, namespace, entry, actor.who);
      recordAudit(transaction, actor, {
        action: before === undefined ? 'silence.create' : 'silence.replace',
        target: auditTarget(namespaceName, entry.id),
        before: auditedSilence(before),
        after: auditedSilence(entry),
        reason: entry.reason,
      });
      return entry;
    });
  }

  /**
   * Ends the silence with exactly this id.
   *
   * @param check callback that gets the silence, and can throw to reject the request
   * @throws MonError `not_found` if no silence has this id or it has expired, `unavailable`
   */
  clear(
    namespaceName: string,
    target: SilencedTarget,
    actor: Actor = BACKEND_ACTOR,
    check: (entry: SilencedEntry) => void = () => undefined,
  ): Promise<void> {
    const id = target.id ?? silencedId(target.subscription, target.check);
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const entry = unexpiredEntry(namespace, id, transaction.nowMs);
      if (entry === undefined) throw new MonError('not_found', `there is no silence ${id}`);
      check(entry);
      clearSilenced(transaction, namespace, entry, actor);
    });
  }

  /**
   * Updates a silence when its begin or end is due; called by timers. Removes an expired silence, and moves a recurring
   * silence to its next window. Otherwise announces the silence as changed.
   */
  updateAtDeadline(namespaceName: string, id: string): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const entry = namespace.silenced.get(id);
      if (entry === undefined) return;
      const now = toCurrentWindow(entry, transaction.nowMs);
      if (isExpired(now, transaction.nowMs)) endSilenced(transaction, namespace, entry, 'clock');
      else if (now !== entry && now.begin === entry.begin) resumeWindow(transaction, namespace, now, entry);
      else if (now !== entry) beginWindow(transaction, namespace, now);
      else announceSilence(transaction, namespace, entry);
    });
  }
}

function clearSilenced(transaction: Transaction, namespace: Namespace, entry: SilencedEntry, actor: Actor): void {
  removeSilenced(transaction, namespace, entry, actor.who);
  recordAudit(transaction, actor, {
    action: 'silence.clear',
    target: auditTarget(namespace.name, entry.id),
    before: auditedSilence(entry),
  });
}

/**
 * Returns the silence with this id in its current or next window; undefined if there is none or it has expired. An
 * expired silence is treated as removed, even if it is still stored.
 */
export function unexpiredEntry(
  { silenced }: Pick<Namespace, 'silenced'>,
  id: string,
  nowMs: number,
): SilencedEntry | undefined {
  const kept = silenced.get(id);
  const entry = kept === undefined ? undefined : toCurrentWindow(kept, nowMs);
  return entry === undefined || isExpired(entry, nowMs) ? undefined : entry;
}

/** Returns an error message if the times of a new silence are invalid; otherwise undefined. */
export function timeProblem({ begin, recurrence }: SilencedEntry, nowMs: number): string | undefined {
  const problem = recurrence === undefined ? undefined : recurrenceProblem(recurrence, nowMs);
  return problem === undefined ? beginProblem(begin, nowMs / 1000) : `recurrence: ${problem}`;
}

/**
 * Returns an error message if a silence begins too far in the future, for example because the time is in milliseconds;
 * otherwise undefined.
 *
 * @param begin epoch seconds; null or undefined if it begins at once
 */
export function beginProblem(begin: number | null | undefined, now: number): string | undefined {
  if ((begin ?? 0) - now <= LIFETIME_SECONDS_MAX) return undefined;
  return 'begin must be within a hundred years: it is in seconds since 1970';
}

/**
 * Rejects new silences if the namespace would exceed its limit. Replacing an existing silence is always allowed.
 *
 * @param ids ids of the silences that will be stored
 * @throws MonError `unavailable` if the limit would be exceeded
 */
export function refuseTooMany({ silenced }: Pick<Namespace, 'silenced'>, ids: readonly string[], max: number): void {
  const more = new Set(ids.filter((id) => silenced.get(id) === undefined)).size;
  if (more === 0 || silenced.size + more <= max) return;
  throw new MonError(
    'unavailable',
    `there are ${String(silenced.size)} silences, the limit is ${String(max)}: clear some first`,
  );
}

/** Returns a silence in the format of the audit trail; undefined if `entry` is undefined. */
export function auditedSilence(entry: SilencedEntry | undefined): SilencedRow | undefined {
  return entry === undefined ? undefined : silencedRow(entry);
}

/**
 * Ends a silence early, because it was idle (matched no event) for longer than the settings allow (spec, idleness 4).
 */
export function endIdle(transaction: Transaction, namespace: Namespace, entry: SilencedEntry, idle: SilenceIdle): void {
  const actor = backendActor('silence-idle-expire');
  const reason = idleReason(idle);
  removeSilenced(transaction, namespace, entry, actor.who, reason);
  recordAudit(transaction, actor, {
    action: 'silence.expire',
    target: auditTarget(namespace.name, entry.id),
    before: auditedSilence(entry),
    reason,
  });
}

/**
 * Ends a silence as planned.
 *
 * @param by `clock` if its end has come, `expire_on_resolve` if an event that it silences has resolved
 */
export function endSilenced(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  by: 'clock' | 'expire_on_resolve',
): void {
  removeSilenced(transaction, namespace, entry, undefined);
  recordAudit(transaction, backendActor(by), {
    action: 'silence.expire',
    target: auditTarget(namespace.name, entry.id),
    before: auditedSilence(entry),
  });
}
