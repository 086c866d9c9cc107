import { expireAtOf, isExpired, secondsLeft } from '../../../shared/domain/expiry.ts';
import { silencedEntry } from '../../../shared/domain/silencing.ts';
import {
  lastsAtLeastAsLong,
  silenceSupportProblem,
  type StashMigration,
} from '../../../shared/domain/stash-silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { recordAudit, auditTarget } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import {
  auditedSilence,
  DEFAULT_SILENCES_MAX,
  unexpiredEntry,
  refuseTooMany,
  type SilencesMax,
} from '../silences/commands.ts';
import { saveSilenced } from '../model/silences/mutations.ts';
import { STASHES } from '../model/stashes/storage.ts';
import { stashesOf } from '../model/stashes/state.ts';

type EntryMigration = Extract<StashMigration, { readonly kind: 'entry' }>;

/**
 * Converts stashes into silences. Old versions of Sensu had no silences; there, a stash silenced a client or a check
 * (reference 9.1).
 */
export class StashMigrations {
  readonly #batcher: Batcher;
  readonly #silencesMax: SilencesMax;

  constructor(batcher: Batcher, silencesMax = DEFAULT_SILENCES_MAX) {
    this.#batcher = batcher;
    this.#silencesMax = silencesMax;
  }

  /**
   * Replaces a stash by a silence in one commit, so that there is no moment in which its events are not silenced. An
   * existing silence with the same id is kept if it lasts at least as long as the stash.
   *
   * @returns true if a silence was stored; false if the existing silence was kept
   * @throws MonError `not_found` if the stash was deleted or has expired, `conflict` if the agent of the client must be
   *   upgraded before a silence can match its events, `unavailable`
   */
  migrate(namespaceName: string, { path, id, client, request }: EntryMigration, actor: Actor): Promise<boolean> {
    return this.#batcher.run((transaction) => {
      const { nowMs } = transaction;
      const namespace = transaction.registry.namespace(namespaceName);
      const stash = stashesOf(namespace).get(path);
      if (stash === undefined || isExpired(stash, nowMs)) throw new MonError('not_found', `there is no stash ${path}`);
      const silenced = client === undefined ? undefined : namespace.clients.get(client);
      const problem = silenced === undefined ? undefined : silenceSupportProblem(silenced);
      if (problem !== undefined) throw new MonError('conflict', `${problem}: upgrade the agent of this client first`);
      const before = unexpiredEntry(namespace, id, nowMs);
      const expire = secondsLeft(stash, nowMs);
      const isThere = before !== undefined && lastsAtLeastAsLong(secondsLeft(before, nowMs), expire);
      if (!isThere) {
        transaction.refuseNew(before);
        refuseTooMany(namespace, [id], this.#silencesMax());
        const entry = silencedEntry({ ...request, expire }, nowMs);
        saveSilenced(transaction, namespace, entry, actor.who);
        recordAudit(transaction, actor, {
          action: before === undefined ? 'silence.create' : 'silence.replace',
          target: auditTarget(namespaceName, id),
          before: auditedSilence(before),
          after: auditedSilence(entry),
          reason: entry.reason,
        });
      }
      transaction.remove(STASHES, namespace, path);
      recordAudit(transaction, actor, {
        action: 'stash.delete',
        target: path,
        before: { expire_at: expireAtOf(stash) },
      });
      return !isThere;
    });
  }
}
