import { clientOfEntity, v2EntityOf } from '../../../shared/domain/v2/entity.ts';
import { lostAttributes } from '../../../shared/domain/v2/import-losses.ts';
import { unwrapObject, type WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { ENTITY_LIMIT_REFUSAL } from '../../../shared/domain/entity-limit.ts';
import { v2EntitySchema, type SubmittedV2Entity } from '../../../shared/schemas/v2/entity.ts';
import { exactClientSchema } from '../../../shared/schemas/exact-state.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import type { RestoreResult } from '../../../shared/schemas/restore.ts';
import { COMPATIBLE_VERSION } from '../../../shared/schemas/version.ts';
import type { ClientEntry, Namespace } from '../model/registry/namespace.ts';
import type { StoredClient } from '../model/clients/client-record.ts';
import { liftBan, recordOf } from '../clients/commands.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import {
  EXACT_LOST,
  exactCopyOf,
  exceedsEntityLimit,
  matchesExactCopy,
  skippedResult,
  restoreState,
  type RestoreContext,
} from './restore-context.ts';
import { saveClient } from '../model/clients/mutations.ts';
import { CLIENTS, dumpedEntity } from '../model/clients/storage.ts';

/**
 * Attributes of an entity that are not restored, because they are computed for display or reported again by the agent.
 */
const IGNORED_ATTRIBUTES = ['last_seen', 'sensu_agent_version', 'subscriptions'];

export function restoreEntity(context: RestoreContext, namespace: Namespace, object: WrappedObject): RestoreResult {
  const exact = exactClient(namespace.name, object);
  const parsed = v2EntitySchema.safeParse({ ...unwrapObject(object), mon: undefined });
  if (exact === undefined && !parsed.success) return skippedResult(problemsOf(parsed.error));
  const name = exact?.client.name ?? parsed.data?.metadata.name ?? '';
  if (exact?.isCounted !== false && exceedsEntityLimit(context, namespace.name, name)) {
    return skippedResult(ENTITY_LIMIT_REFUSAL);
  }
  const { transaction } = context;
  const present = namespace.clients.get(name);
  const after = exact ?? translateEntity(parsed.data, present, transaction);
  const lost =
    exact !== undefined || parsed.data === undefined
      ? []
      : [
          ...('mon' in object.spec ? [EXACT_LOST] : []),
          ...lostAttributes(omitAttributes(parsed.data, IGNORED_ATTRIBUTES), v2EntityOf(namespace.name, after.client)),
        ];
  return restoreState(
    context,
    { before: present === undefined ? undefined : storedClient(transaction, present), after },
    () => void restoreClient(transaction, namespace, after),
    lost,
  );
}

/**
 * Stores the client of an entity exactly as it is in the dump. If the client was deleted, its keepalives and results
 * are accepted again.
 */
export function restoreClient(transaction: Transaction, namespace: Namespace, stored: StoredClient): ClientEntry {
  const { client, ...origin } = stored;
  liftBan(transaction, namespace, client.name);
  return saveClient(transaction, namespace, client, origin);
}

/**
 * Converts a v2 entity to a client.
 *
 * @param present existing client with this name; undefined if there is none
 */
export function translateEntity(
  entity: SubmittedV2Entity | undefined,
  present: ClientEntry | undefined,
  transaction: Transaction,
): StoredClient {
  if (entity === undefined) throw new Error('internal error: the object contains no entity');
  const createdBy = entity.metadata.created_by ?? undefined;
  const context = {
    present: recordOf(transaction, present),
    now: transaction.now,
    version: COMPATIBLE_VERSION,
    createdBy,
    source: 'put',
  } as const;
  return {
    client: clientOfEntity(entity, context),
    signature: present?.signature ?? '',
    reporter: present?.reporter,
    isCounted: present?.isCounted === false ? false : undefined,
  };
}

function exactClient(namespace: string, object: WrappedObject): StoredClient | undefined {
  const exact = exactCopyOf(exactClientSchema, object);
  if (exact === undefined) return undefined;
  const { client, signature, reporter, isCounted } = exact;
  const stored = { client, signature, reporter, isCounted };
  return matchesExactCopy(object, dumpedEntity(namespace, stored)) ? stored : undefined;
}

function storedClient(transaction: Transaction, entry: ClientEntry): StoredClient {
  const { signature, reporter, isCounted } = entry;
  return { client: transaction.body(CLIENTS, entry), signature, reporter, isCounted: isCounted ? undefined : false };
}

function omitAttributes(entity: SubmittedV2Entity, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(entity).filter(([name]) => name !== 'metadata' && !names.includes(name)));
}
