import { MON_API } from '../../../shared/api/mon.ts';
import {
  commandSilenceId,
  mayEndSilence,
  maintenanceOutcome,
  silenceConflictMessage,
} from '../../../shared/domain/maintenance.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { HoldRequest, ReleaseRequest } from '../../../shared/schemas/maintenance.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import { recordAudit, auditTarget } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import type { MonHandlers } from '../http/route.ts';
import { requestedNamespace } from '../namespaces/request-namespaces.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import type { SilenceDependencies } from './changes.ts';
import { refuseOwnAgainstPolicy } from './policy.ts';
import { renewSilenced, saveCommandSilence } from '../model/silences/mutations.ts';
import {
  auditedSilence,
  unexpiredEntry,
  refuseTooMany,
  type LoadSelectorAttributes,
  type SilencedEntries,
  type SilencesMax,
} from './commands.ts';

/**
 * Creates, extends and ends the silences of `monctl maintenance`. Each lasts as long as a command runs (spec,
 * maintenance).
 */
export class CommandSilences {
  readonly #batcher: Batcher;
  readonly #silenced: Pick<SilencedEntries, 'clear'>;
  readonly #entriesMax: SilencesMax;
  readonly #loadSelectorAttributes: LoadSelectorAttributes;

  /** @param learn callback that loads into memory the attributes that selectors refer to */
  constructor(
    batcher: Batcher,
    silenced: Pick<SilencedEntries, 'clear'>,
    entriesMax: SilencesMax,
    learn: LoadSelectorAttributes,
  ) {
    this.#batcher = batcher;
    this.#silenced = silenced;
    this.#entriesMax = entriesMax;
    this.#loadSelectorAttributes = learn;
  }

  /**
   * Creates the silence of a command run, or extends it if it exists. An extension is recorded neither in the audit
   * trail nor in the timeline.
   *
   * @throws MonError `invalid` for an invalid selector, `threshold` if the selectors of the namespace use too many
   *   attributes or cost too much, `conflict` if a silence with this id belongs to another run, `not_found` if the
   *   silence to extend was cleared or the namespace does not exist, `unavailable`
   */
  async createOrExtend(namespaceName: string, request: HoldRequest, actor: Actor): Promise<void> {
    if (typeof request.selector === 'string') await this.#loadSelectorAttributes(namespaceName, [request.selector]);
    return this.#batcher.run((transaction) => {
      refuseUnknownNamespace(transaction.registry, namespaceName);
      const namespace = transaction.registry.namespace(namespaceName);
      const id = commandSilenceId(request);
      const hold = maintenanceOutcome(unexpiredEntry(namespace, id, transaction.nowMs), request, transaction.nowMs);
      switch (hold.kind) {
        case 'taken':
          throw new MonError('conflict', silenceConflictMessage(hold.by));
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
            target: auditTarget(namespaceName, id),
            after: auditedSilence(hold.entry),
            reason: hold.entry.reason,
          });
      }
    });
  }

  /**
   * Ends the silence of a command run.
   *
   * @throws MonError `not_found` if there is no such silence, `conflict` if it belongs to another run, `unavailable`
   */
  release(namespaceName: string, request: ReleaseRequest, actor: Actor): Promise<void> {
    return this.#silenced.clear(namespaceName, { id: commandSilenceId(request) }, actor, (entry) => {
      if (!mayEndSilence(entry, request)) throw new MonError('conflict', silenceConflictMessage(entry));
    });
  }
}

const validateHold = bodyValidator(MON_API.holdSilence);
const validateRelease = bodyValidator(MON_API.releaseSilence);

/** Returns the request handlers that create, extend and end the silences of command runs. */
export function commandSilencesOnMon(
  deps: SilenceDependencies & { readonly commandSilences: CommandSilences },
): MonHandlers<'holdSilence' | 'releaseSilence'> {
  const { commandSilences } = deps;
  return {
    holdSilence: async (request, reply) => {
      const { name } = requestedNamespace(request, deps);
      const submitted = readBody(request, validateHold);
      const hold = { ...submitted, creator: creatorOf(request.principal, submitted.creator) };
      refuseOwnAgainstPolicy(deps, { reason: hold.reason, expire: hold.seconds });
      await commandSilences.createOrExtend(name, hold, actorOf(request, hold.creator));
      return reply.send();
    },
    releaseSilence: async (request, reply) => {
      const { name } = requestedNamespace(request, deps);
      await commandSilences.release(name, readBody(request, validateRelease), actorOf(request));
      return reply.send();
    },
  };
}
