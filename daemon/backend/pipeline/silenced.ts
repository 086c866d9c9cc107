import { MonError } from '../../../shared/errors.ts';
import { isExpired } from '../../../shared/domain/expiry.ts';
import { silencedEntry, silencedId, type SilencedRequest } from '../../../shared/domain/silencing.ts';
import { LIFETIME_SECONDS_MAX } from '../../../shared/schemas/expiry.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Batcher } from './batcher.ts';

/** Most entries in one namespace (design, S7). */
const ENTRIES_MAX = 1_000_000;

/** Which entry is meant: by its id, or by the parts that make one. */
export interface SilencedTarget {
  readonly id?: string | null | undefined;
  readonly subscription?: string | null | undefined;
  readonly check?: string | null | undefined;
}

/** Making and ending silenced entries. */
export class SilencedEntries {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Makes an entry, or replaces the one with the same id as a whole (completion 1.2).
   *
   * @throws MonError `invalid` when it would begin in another age (reliability-and-security, S13); `unavailable`
   */
  create(namespaceName: string, request: SilencedRequest): Promise<SilencedEntry> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      if (namespace.silenced.size >= ENTRIES_MAX) {
        throw new MonError('unavailable', `there are ${String(ENTRIES_MAX)} silenced entries: clear some first`);
      }
      if ((request.begin ?? 0) - transaction.now > LIFETIME_SECONDS_MAX) {
        throw new MonError('invalid', 'begin must be within a hundred years: it is in seconds since 1970');
      }
      const entry = silencedEntry(request, transaction.nowMs);
      transaction.saveSilenced(namespace, entry);
      return entry;
    });
  }

  /**
   * Ends exactly one entry.
   *
   * @throws MonError `not_found` when no entry has this id, or when it has expired; `unavailable`
   */
  clear(namespaceName: string, target: SilencedTarget): Promise<void> {
    const id = target.id ?? silencedId(target.subscription, target.check);
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const entry = namespace.silenced.get(id);
      if (entry === undefined || isExpired(entry, transaction.nowMs)) {
        throw new MonError('not_found', `there is no silenced entry ${id}`);
      }
      transaction.removeSilenced(namespace, entry);
    });
  }

  /** Removes an entry whose end has come, and announces one that has begun; called by the clock. */
  tick(namespaceName: string, id: string): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const entry = namespace.silenced.get(id);
      if (entry === undefined) return;
      if (isExpired(entry, transaction.nowMs)) transaction.removeSilenced(namespace, entry);
      else transaction.noteSilenced(namespace, entry);
    });
  }
}
