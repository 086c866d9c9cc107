import { clientOfEntity, type EntityContext } from '../../../shared/domain/v2/entity.ts';
import { keepHidden, redactKeysOf } from '../../../shared/domain/redact.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { SubmittedV2Entity } from '../../../shared/schemas/v2/entity.ts';
import { COMPATIBLE_VERSION } from '../../../shared/schemas/version.ts';
import type { ClientEntry, Namespace } from '../registry/namespace.ts';
import { AttributeBounds } from '../results/attribute-bounds.ts';
import { recordAudit, targetIn } from '../audit/write.ts';
import type { Batcher } from '../commit/batcher.ts';
import { auditedRecord, clientNamed, letIn, recordOf } from './write.ts';
import type { EntityLimit } from './entity-limit.ts';
import type { Transaction } from '../commit/transaction.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown.ts';
import { saveClient, refuseGrowthOf } from './saved.ts';
import { CLIENTS } from './table.ts';

interface EntityParts {
  readonly batcher: Batcher;
  readonly entityLimit: EntityLimit;
  /** Default: those of the settings. */
  readonly attributes?: AttributeBounds;
}

/** What is done to entities through version 2; their removal is that of clients. */
export class Entities {
  readonly #parts: Required<EntityParts>;

  constructor(parts: EntityParts) {
    this.#parts = { attributes: new AttributeBounds(), ...parts };
  }

  /**
   * Makes the client of an entity, or changes what entities have of it.
   *
   * @param change told of the client that is there; refuses by throwing
   * @throws MonError `not_found` when there is no such namespace, `payment_required` when it is new and one too many,
   * `too_large` or `invalid` when it brings along too much, `no_memory` when there is none for it, `unavailable`
   */
  put(
    namespaceName: string,
    name: string,
    change: (present: Client | undefined) => SubmittedV2Entity,
    actor: Actor,
  ): Promise<Client> {
    return this.#parts.batcher.run(
      (transaction) => {
        refuseUnknownNamespace(transaction.registry, namespaceName);
        const namespace = transaction.registry.namespace(namespaceName);
        const before = recordOf(transaction, namespace.clients.get(name));
        const entity = change(before);
        transaction.refuseNew(before);
        this.#parts.attributes.refuseClient(entity, 'entity');
        this.#parts.entityLimit.refuseBeyond(namespaceName, name);
        const record = transaction.body(
          CLIENTS,
          saveEntity(transaction, namespace, entity, { source: 'put', createdBy: undefined }),
        );
        recordAudit(transaction, actor, {
          action: before === undefined ? 'client.create' : 'client.change',
          target: targetIn(namespaceName, name),
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
 * Stores the client of an entity, whose place within the limit was made sure of. The command must have asked for the record
 * of the one that is there.
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
  letIn(transaction, namespace, name);
  // Who reads an entity and puts it back does not know its secrets.
  const whole = present === undefined ? client : keepHidden(client, present, redactKeysOf(present));
  return saveClient(transaction, namespace, whole, { signature: before?.signature ?? '' });
}
