import { MON_API } from '../../../shared/api/mon.ts';
import { commandSilenceId, mayRelease, nextHold, takenText } from '../../../shared/domain/maintenance.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { HoldRequest, ReleaseRequest } from '../../../shared/schemas/maintenance.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import { recordAudit, targetIn } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import type { OnMon } from '../http/route.ts';
import { requestedNamespace } from '../namespaces/request-namespaces.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import type { SilenceDeps } from './changes.ts';
import { refuseOwnAgainstPolicy } from './policy.ts';
import { renewSilenced, saveCommandSilence } from '../model/silences/mutations.ts';
import {
  auditedSilence,
  unexpiredEntry,
  refuseTooMany,
  type Learn,
  type SilencedEntries,
  type SilencesMax,
} from './commands.ts';

/** Silences that commands hold while they run (spec, maintenance). */
export class CommandSilences {
  readonly #batcher: Batcher;
  readonly #silenced: Pick<SilencedEntries, 'clear'>;
  readonly #entriesMax: SilencesMax;
  readonly #learn: Learn;

  /** @param learn reads the attributes that selectors use */
  constructor(batcher: Batcher, silenced: Pick<SilencedEntries, 'clear'>, entriesMax: SilencesMax, learn: Learn) {
    this.#batcher = batcher;
    this.#silenced = silenced;
    this.#entriesMax = entriesMax;
    this.#learn = learn;
  }

  /**
   * Creates an entry, or extends the one that this run holds; an extension is not recorded in the audit trail and the
   * timeline.
   *
   * @throws MonError `invalid` for an invalid selector; `conflict` if another user has an entry with this id,
   *   `not_found` if the entry was cleared or the namespace does not exist, `unavailable`
   */
  async hold(namespaceName: string, request: HoldRequest, actor: Actor): Promise<void> {
    if (typeof request.selector === 'string') await this.#learn(namespaceName, [request.selector]);
    return this.#batcher.run((transaction) => {
      refuseUnknownNamespace(transaction.registry, namespaceName);
      const namespace = transaction.registry.namespace(namespaceName);
      const id = commandSilenceId(request);
      const hold = nextHold(unexpiredEntry(namespace, id, transaction.nowMs), request, transaction.nowMs);
      switch (hold.kind) {
        case 'taken':
          throw new MonError('conflict', takenText(hold.by));
        case 'gone':
          throw new MonError('not_found', `the silence ${id} was cleared in the meantime`);
        case 'renew':
          renewSilenced(transaction, namespace, hold.entry);
          return;
        case 'begin':
          refuseTooMany(namespace, [id], this.#entriesMax());
          transaction.refuseNew(undefined);
          saveCommandSilence(transaction, namespace, hold.entry, actor.who);
          recordAudit(transaction, actor, {
            action: 'silence.create',
            target: targetIn(namespaceName, id),
            after: auditedSilence(hold.entry),
            reason: hold.entry.reason,
          });
      }
    });
  }

  /**
   * Ends the entry that a run holds.
   *
   * @throws MonError `not_found`; `conflict` if it belongs to another holder by now; `unavailable`
   */
  release(namespaceName: string, request: ReleaseRequest, actor: Actor): Promise<void> {
    return this.#silenced.clear(namespaceName, { id: commandSilenceId(request) }, actor, (entry) => {
      if (!mayRelease(entry, request)) throw new MonError('conflict', takenText(entry));
    });
  }
}

const validateHold = bodyValidator(MON_API.holdSilence);
const validateRelease = bodyValidator(MON_API.releaseSilence);

/** Serves the requests of commands that hold a silence. */
export function commandSilencesOnMon(
  deps: SilenceDeps & { readonly commandSilences: CommandSilences },
): OnMon<'holdSilence' | 'releaseSilence'> {
  const { commandSilences } = deps;
  return {
    holdSilence: async (request, reply) => {
      const { name } = requestedNamespace(request, deps);
      const submitted = readBody(request, validateHold);
      const hold = { ...submitted, creator: creatorOf(request.principal, submitted.creator) };
      refuseOwnAgainstPolicy(deps, { reason: hold.reason, expire: hold.seconds });
      await commandSilences.hold(name, hold, actorOf(request, hold.creator));
      return reply.send();
    },
    releaseSilence: async (request, reply) => {
      const { name } = requestedNamespace(request, deps);
      await commandSilences.release(name, readBody(request, validateRelease), actorOf(request));
      return reply.send();
    },
  };
}
