import { expireAtMsOf, expireAtOf, isExpired } from '../../../shared/domain/expiry.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { StashContent } from '../../../shared/schemas/stash.ts';
import { BACKEND_ACTOR, recordAudit, auditTarget } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { STASHES } from '../model/stashes/storage.ts';
import { stashesOf } from '../model/stashes/state.ts';

/** Maximum number of stashes in one namespace. */
export const STASHES_MAX = 100_000;

/** Creates and deletes stashes: small JSON documents that dashboards and scripts store under a path. */
export class Stashes {
  readonly #batcher: Batcher;
  readonly #stashesMax: number;

  constructor(batcher: Batcher, stashesMax = STASHES_MAX) {
    this.#batcher = batcher;
    this.#stashesMax = stashesMax;
  }

  /**
   * Creates a stash, or completely replaces the stash with the same path, including its expiry.
   *
   * @param stash the stash to store. `expireSeconds` is its time to live: the stash never expires if it is -1, null or
   *   absent, and expires at once if it is 0 (completion 1.6).
   * @throws MonError `unavailable` if there are too many stashes or too little disk space, `no_memory` if memory is
   *   full
   */
  put(
    namespaceName: string,
    stash: {
      readonly path: string;
      readonly content: StashContent;
      readonly expireSeconds?: number | null | undefined;
    },
  ): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const { path, content, expireSeconds } = stash;
      const present = stashesOf(namespace).get(path);
      transaction.refuseNew(present);
      if (stashesOf(namespace).size >= this.#stashesMax && present === undefined) {
        throw new MonError(
          'unavailable',
          `the limit of ${String(this.#stashesMax)} stashes is reached: delete some first`,
        );
      }
      const expireAtMs = expireAtMsOf(expireSeconds, transaction.nowMs);
      transaction.put(STASHES, namespace, path, { path, content, expireAtMs });
    });
  }

  /**
   * Deletes a stash.
   *
   * @throws MonError `not_found` if there is no stash with this path or it has expired, `unavailable`
   */
  remove(namespaceName: string, path: string, actor: Actor = BACKEND_ACTOR): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const stash = stashesOf(namespace).get(path);
      if (stash === undefined || isExpired(stash, transaction.nowMs)) {
        throw new MonError('not_found', `there is no stash ${path}`);
      }
      transaction.remove(STASHES, namespace, path);
      // The audit record omits the content of the stash, because it can contain secrets.
      recordAudit(transaction, actor, {
        action: 'stash.delete',
        target: auditTarget(namespaceName, path),
        before: { expire_at: expireAtOf(stash) },
      });
    });
  }

  /** Deletes a stash if it has expired; called by a timer. Does nothing if the stash was deleted or extended. */
  expire(namespaceName: string, path: string): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const stash = stashesOf(namespace).get(path);
      if (stash !== undefined && isExpired(stash, transaction.nowMs)) transaction.remove(STASHES, namespace, path);
    });
  }
}
