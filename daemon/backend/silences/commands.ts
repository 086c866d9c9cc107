import { MonError } from '../../../shared/errors.ts';
import { isExpired } from '../../../shared/domain/expiry.ts';
import { recurrenceProblem } from '../../../shared/domain/recurrence.ts';
import {
  entryAt,
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
import { mon, MON, recordAudit, targetIn } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import { refuseBeyondBudget } from '../model/silences/selector-budget.ts';
import { beginWindow, resumeWindow, noteSilenced, removeSilenced, saveSilenced } from '../model/silences/mutations.ts';

/** Returns the maximum number of entries in one namespace, called each time because a reload changes it. */
export type SilencesMax = () => number;

export const DEFAULT_MAX: SilencesMax = () => SILENCES_MAX;

/** Reads the attributes that selectors use, of all clients and checks of a namespace; rejects invalid selectors. */
export type Learn = (namespace: string, selectors: readonly string[]) => Promise<void>;

/** Identifies an entry: by its id, or by its subscription and check. */
export interface SilencedTarget {
  readonly id?: string | null | undefined;
  readonly subscription?: string | null | undefined;
  readonly check?: string | null | undefined;
}

/** Creates and ends silenced entries. */
export class SilencedEntries {
  readonly #batcher: Batcher;
  readonly #entriesMax: SilencesMax;
  readonly #learn: Learn;

  /** @param learn reads the attributes that selectors use */
  constructor(batcher: Batcher, entriesMax = DEFAULT_MAX, learn: Learn = async () => undefined) {
    this.#batcher = batcher;
    this.#entriesMax = entriesMax;
    this.#learn = learn;
  }

  /**
   * Reads the attributes that selectors use, so that an entry with one is in force from its commit on.
   *
   * @throws MonError `invalid` if a selector is invalid, `threshold` if they name too many attributes
   */
  learn(namespaceName: string, selectors: readonly string[]): Promise<void> {
    return this.#learn(namespaceName, selectors);
  }

  /**
   * Creates an entry, or replaces the one with the same id as a whole (completion 1.2).
   *
   * @throws MonError `invalid` if it begins too far ahead or its selector is invalid, `threshold` if the selector names
   *   too many attributes, `unavailable`
   */
  async create(namespaceName: string, request: SilencedRequest, actor: Actor = MON): Promise<SilencedEntry> {
    const id = targetId(request);
    if (typeof request.selector === 'string') await this.learn(namespaceName, [request.selector]);
    return await this.write(namespaceName, id, (_before, nowMs) => silencedEntry(request, nowMs), actor);
  }

  /**
   * Creates an entry, given the one with the same id, which it replaces as a whole.
   *
   * @param make called with the present entry, if it has not expired; throws to reject the change
   * @param isStoredWhenOver true if an entry that has expired when it is created is stored until the clock removes it.
   *   If not, it only ends the entry that it replaces.
   * @throws MonError `not_found` if there is no such namespace, `invalid` if it begins too far ahead, `unavailable`
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
        target: targetIn(namespaceName, entry.id),
        before: auditedSilence(before),
        after: auditedSilence(entry),
        reason: entry.reason,
      });
      return entry;
    });
  }

  /**
   * Ends exactly one entry.
   *
   * @param check called with the entry; throws to reject
   * @throws MonError `not_found` if no entry has this id, or it has expired; `unavailable`
   */
  clear(
    namespaceName: string,
    target: SilencedTarget,
    actor: Actor = MON,
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
   * Removes an expired entry, or moves it to its next window, and announces one that has begun; called by the clock.
   */
  tick(namespaceName: string, id: string): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const entry = namespace.silenced.get(id);
      if (entry === undefined) return;
      const now = entryAt(entry, transaction.nowMs);
      if (isExpired(now, transaction.nowMs)) endSilenced(transaction, namespace, entry, 'clock');
      else if (now !== entry && now.begin === entry.begin) resumeWindow(transaction, namespace, now, entry);
      else if (now !== entry) beginWindow(transaction, namespace, now);
      else noteSilenced(transaction, namespace, entry);
    });
  }
}

function clearSilenced(transaction: Transaction, namespace: Namespace, entry: SilencedEntry, actor: Actor): void {
  removeSilenced(transaction, namespace, entry, actor.who);
  recordAudit(transaction, actor, {
    action: 'silence.clear',
    target: targetIn(namespace.name, entry.id),
    before: auditedSilence(entry),
  });
}

/**
 * Returns the present entry with this id, unless it has expired: an expired entry counts as removed, even if it is
 * still stored.
 */
export function unexpiredEntry(
  { silenced }: Pick<Namespace, 'silenced'>,
  id: string,
  nowMs: number,
): SilencedEntry | undefined {
  const kept = silenced.get(id);
  const entry = kept === undefined ? undefined : entryAt(kept, nowMs);
  return entry === undefined || isExpired(entry, nowMs) ? undefined : entry;
}

/** Returns the problem with the times of a new entry, if there is one. */
export function timeProblem({ begin, recurrence }: SilencedEntry, nowMs: number): string | undefined {
  const problem = recurrence === undefined ? undefined : recurrenceProblem(recurrence, nowMs);
  return problem === undefined ? beginProblem(begin, nowMs / 1000) : `recurrence: ${problem}`;
}

/**
 * Returns the problem with the begin of an entry: for example a time in milliseconds, which would never come.
 *
 * @param begin epoch seconds
 * @param now epoch seconds
 */
export function beginProblem(begin: number | null | undefined, now: number): string | undefined {
  if ((begin ?? 0) - now <= LIFETIME_SECONDS_MAX) return undefined;
  return 'begin must be within a hundred years: it is in seconds since 1970';
}

/**
 * Rejects new entries beyond the limit. Existing entries may always be replaced.
 *
 * @throws MonError `unavailable` if the new ones among these entries exceed the limit
 */
export function refuseTooMany({ silenced }: Pick<Namespace, 'silenced'>, ids: readonly string[], max: number): void {
  const more = new Set(ids.filter((id) => silenced.get(id) === undefined)).size;
  if (more === 0 || silenced.size + more <= max) return;
  throw new MonError(
    'unavailable',
    `there are ${String(silenced.size)} silences, the limit is ${String(max)}: clear some first`,
  );
}

/** Returns an entry for the audit trail. */
export function auditedSilence(entry: SilencedEntry | undefined): SilencedRow | undefined {
  return entry === undefined ? undefined : silencedRow(entry);
}

/** Ends an entry that was idle for too long, by the settings before its own end (spec, idleness 4). */
export function endIdle(transaction: Transaction, namespace: Namespace, entry: SilencedEntry, idle: SilenceIdle): void {
  const actor = mon('silence-idle-expire');
  const reason = idleReason(idle);
  removeSilenced(transaction, namespace, entry, actor.who, reason);
  recordAudit(transaction, actor, {
    action: 'silence.expire',
    target: targetIn(namespace.name, entry.id),
    before: auditedSilence(entry),
    reason,
  });
}

/** Ends an entry as planned: by the clock, or with the event for which it was created. */
export function endSilenced(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  by: 'clock' | 'expire_on_resolve',
): void {
  removeSilenced(transaction, namespace, entry, undefined);
  recordAudit(transaction, mon(by), {
    action: 'silence.expire',
    target: targetIn(namespace.name, entry.id),
    before: auditedSilence(entry),
  });
}
