import { clientOfEntity, type EntityContext } from '../../../shared/domain/v2/entity.ts';
import { restoreRedacted, redactKeysOf } from '../../../shared/domain/redact.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { SubmittedV2Entity } from '../../../shared/schemas/v2/entity.ts';
import { COMPATIBLE_VERSION } from '../../../shared/schemas/version.ts';
import type { ClientEntry, Namespace } from '../model/registry/namespace.ts';
import { AttributeBounds } from '../results/attribute-bounds.ts';
import { recordAudit, auditTarget } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { auditedRecord, clientNamed, liftBan, recordOf } from './commands.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import { saveClient, refuseGrowthOf } from '../model/clients/mutations.ts';
import { CLIENTS } from '../model/clients/storage.ts';

interface EntityDependencies {
  readonly batcher: Batcher;
  readonly entityLimit: EntityLimit;
  /** Limits on the attributes of entities; default: the fixed limits of `AttributeBounds`. */
  readonly attributes?: AttributeBounds;
}

/** Creates and changes entities for the v2 API. The class `Clients` removes them. */
export class Entities {
  readonly #dependencies: Required<EntityDependencies>;

  constructor(dependencies: EntityDependencies) {
    this.#dependencies = { attributes: new AttributeBounds(), ...dependencies };
  }

  /**
   * Creates the client of an entity, or changes its entity attributes.
   *
   * @param change callback that returns the entity to store; it gets the current client record, undefined if there is
   *   none, and throws to reject the change
   * @throws MonError `not_found` if there is no such namespace, `payment_required` if the entity is new and exceeds the
   *   entity limit, `too_large` or `invalid` if its attributes exceed the limits, `no_memory` if memory is full,
   *   `unavailable` if the change cannot be committed
   */
  put(
    namespaceName: string,
    name: string,
    change: (present: Client | undefined) => SubmittedV2Entity,
    actor: Actor,
  ): Promise<Client> {
    return this.#dependencies.batcher.run(
      (transaction) => {
        refuseUnknownNamespace(transaction.registry, namespaceName);
        const namespace = transaction.registry.namespace(namespaceName);
        const before = recordOf(transaction, namespace.clients.get(name));
        const entity = change(before);
        transaction.refuseNew(before);
        this.#dependencies.attributes.refuseClient(entity, 'entity');
        this.#dependencies.entityLimit.refuseBeyond(namespaceName, name);
        const record = transaction.body(
          CLIENTS,
          saveEntity(transaction, namespace, entity, { source: 'put', createdBy: undefined }),
        );
        recordAudit(transaction, actor, {
          action: before === undefined ? 'client.create' : 'client.change',
          target: auditTarget(namespaceName, name),
          before: before === undefined ? null : auditedRecord(before),
          after: auditedRecord(record),
        });
        return record;
      },
      { needs: (registry) => clientNamed(registry, namespaceName, name) },
    );
  }
}

/**
 * Stores an entity as a client. The caller must have checked the entity limit. The command must have listed the record
 * of an existing client in its `needs`.
 */
export function saveEntity(
  transaction: Transaction,
  namespace: Namespace,
  entity: SubmittedV2Entity,
  origin: Pick<EntityContext, 'source' | 'createdBy'>,
): ClientEntry {
  const { name } = entity.metadata;
  const before = namespace.clients.get(name);
  const present = recordOf(transaction, before);
  const client = clientOfEntity(entity, { present, now: transaction.now, version: COMPATIBLE_VERSION, ...origin });
  refuseGrowthOf(transaction, before, client);
  liftBan(transaction, namespace, name);
  // Redacted values are replaced by the stored secrets, for a caller that read the entity and writes it back.
  const completeClient = present === undefined ? client : restoreRedacted(client, present, redactKeysOf(present));
  return saveClient(transaction, namespace, completeClient, { signature: before?.signature ?? '' });
}
