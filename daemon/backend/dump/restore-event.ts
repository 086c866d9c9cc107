import { checkStateOfEvent } from '../../../shared/domain/v2/event-state.ts';
import { entityOfEvent, resultOfEvent } from '../../../shared/domain/v2/event.ts';
import type { LostAttribute } from '../../../shared/domain/v2/import-losses.ts';
import { unwrapObject, wrappedName, type WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { ENTITY_LIMIT_REFUSAL } from '../../../shared/domain/entity-limit.ts';
import { v2EntitySchema } from '../../../shared/schemas/v2/entity.ts';
import { v2EventSchema, type SubmittedV2Event } from '../../../shared/schemas/v2/event.ts';
import { exactRecordSchema } from '../../../shared/schemas/exact-state.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { resultSchema } from '../../../shared/schemas/result.ts';
import { restoreKey, type RestoreResult } from '../../../shared/schemas/restore.ts';
import { checkStateOf, type CheckRecord } from '../model/events/check-record.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../model/registry/namespace.ts';
import { restoreClient, translateEntity } from './restore-entity.ts';
import {
  EXACT_LOST,
  exactCopyOf,
  exceedsEntityLimit,
  matchesExactCopy,
  skippedResult,
  restoreState,
  type RestoreContext,
} from './restore-context.ts';
import { saveCheck } from '../model/events/mutations.ts';
import { recordStoredEventAsInhibitor } from '../notify/inhibitions/event-inhibition.ts';
import { CHECK_RECORDS, dumpedEvent } from '../model/events/storage.ts';
import { CLIENTS } from '../model/clients/storage.ts';

/**
 * Returns the existing client and check of an event. Their records must be read before the restore, because the event
 * in the dump is compared with them.
 */
export function recordsOfEvent(namespace: Namespace, object: WrappedObject): (CheckEntry | ClientEntry)[] {
  const [client = '', check = ''] = wrappedName(object).split('/');
  const owner = namespace.clients.get(client);
  return [owner, owner?.checks.get(check)].filter((entry) => entry !== undefined);
}

export function restoreEvent(context: RestoreContext, namespace: Namespace, object: WrappedObject): RestoreResult {
  const [entity = '', check = ''] = wrappedName(object).split('/');
  if (entity === '' || check === '') return skippedResult('the event has no entity or no check');
  const isAssumed = context.assumed.has(restoreKey('Entity', namespace.name, entity));
  if (isAssumed && !namespace.clients.has(entity)) return { outcome: 'created' };
  const owner = ownerOf(context, namespace, entity, object);
  if ('outcome' in owner) return owner;
  const { client } = owner;
  const present = client === undefined ? undefined : namespace.check(entity, check);
  const exact = client === undefined ? undefined : exactRecord(context, client, check, object);
  const foreign = exact === undefined ? foreignRecord(context, { entity, check }, present, object) : undefined;
  if (foreign !== undefined && 'problem' in foreign) return skippedResult(foreign.problem);
  const record = exact ?? foreign?.record;
  if (record === undefined) throw new Error(`internal error: there is no record for the event ${entity}/${check}`);
  return restoreState(
    context,
    { before: present === undefined ? undefined : recordOf(context, present), after: record },
    () => saveRecord(context, owner.make(), check, record),
    foreign?.lost,
  );
}

/** The client of an event: an existing client, or a client to be created from the entity in the event. */
interface OwnerRestore {
  /** The existing client; undefined if `make` creates it. */
  readonly client: ClientEntry | undefined;
  make(): ClientEntry;
}

function ownerOf(
  context: RestoreContext,
  namespace: Namespace,
  name: string,
  { spec }: WrappedObject,
): OwnerRestore | RestoreResult {
  const present = namespace.clients.get(name);
  if (present !== undefined) return { client: present, make: () => present };
  const event = v2EventSchema.safeParse({ ...spec, mon: undefined });
  // In a dump of mon an event contains only the name of its entity, because the entity is a separate object.
  const hasFullEntity = event.success && 'system' in (event.data.entity ?? {});
  const entity = hasFullEntity ? v2EntitySchema.safeParse(entityOfEvent(event.data, name)) : undefined;
  if (entity === undefined || !entity.success) {
    return skippedResult(`there is no entity ${name} in ${namespace.name}: restore the entities too`);
  }
  if (exceedsEntityLimit(context, namespace.name, name)) return skippedResult(ENTITY_LIMIT_REFUSAL);
  const { transaction } = context;
  const stored = translateEntity(entity.data, undefined, transaction);
  return { client: undefined, make: () => restoreClient(transaction, namespace, stored) };
}

function exactRecord(
  { transaction }: RestoreContext,
  client: ClientEntry,
  check: string,
  object: WrappedObject,
): CheckRecord | undefined {
  const exact = exactCopyOf(exactRecordSchema, object);
  if (exact === undefined) return undefined;
  const { check: result, eventCheck, eventHistory, ...attributes } = exact;
  const record = {
    ...attributes,
    ...checkStateOf({ ...attributes, check: result } as CheckRecord),
    eventHistory,
    eventCheck,
    check: result,
  };
  const own = result ?? eventCheck;
  if (own === undefined || own.name !== check) return undefined;
  // Use the exact copy only if a dump made from it would equal the file: otherwise the file was edited.
  const shown = dumpedEvent(client.namespace.name, transaction.body(CLIENTS, client), record as CheckRecord);
  const entity = object.spec['entity'];
  return matchesExactCopy(object, { ...shown, spec: { ...shown.spec, entity } }) ? (record as CheckRecord) : undefined;
}

function foreignRecord(
  { transaction }: RestoreContext,
  names: { readonly entity: string; readonly check: string },
  present: CheckEntry | undefined,
  object: WrappedObject,
): { readonly record: CheckRecord; readonly lost: readonly LostAttribute[] } | { readonly problem: string } {
  const event = v2EventSchema.safeParse({ ...unwrapObject(object), mon: undefined });
  if (!event.success) return { problem: problemsOf(event.error) };
  const result = resultSchema.safeParse(resultOfEvent(event.data, names));
  if (!result.success) return { problem: problemsOf(result.error) };
  const executed = result.data.executed ?? event.data.timestamp ?? transaction.now;
  const issued = result.data['issued'];
  const check = {
    ...result.data,
    status: result.data.status ?? 0,
    executed,
    issued: typeof issued === 'number' ? issued : executed,
  };
  const newId = (): string => present?.state.event?.id ?? transaction.newId();
  const record: CheckRecord = { ...checkStateOfEvent(event.data, check, newId), check };
  return { record, lost: lostOf(event.data, object) };
}

function lostOf(event: SubmittedV2Event, { spec }: WrappedObject): readonly LostAttribute[] {
  const history = event.check?.['history'];
  const isLong = Array.isArray(history) && history.length > 1;
  return [
    ...('mon' in spec ? [EXACT_LOST] : []),
    ...(isLong ? [{ attribute: 'check.history', reason: 'only its statuses are kept, not their times' }] : []),
  ];
}

function recordOf({ transaction }: RestoreContext, entry: CheckEntry): CheckRecord {
  const { check, eventCheck, eventHistory } = transaction.body(CHECK_RECORDS, entry);
  return { ...entry.state, eventHistory, eventCheck, check };
}

function saveRecord(
  { transaction, by }: RestoreContext,
  client: ClientEntry,
  check: string,
  record: CheckRecord,
): void {
  const entry = client.namespace.ensureCheck(client, check);
  const { check: result, eventCheck, eventHistory } = record;
  const output = record.event === undefined ? undefined : (eventCheck ?? result)?.output;
  const bodies = { check: result, eventCheck, eventHistory };
  saveCheck(transaction, entry, checkStateOf(record), bodies, output, by);
  // Record the event as an inhibitor now: events that it inhibits are restored too, and may get their next result
  // before this event does.
  recordStoredEventAsInhibitor(transaction, entry, bodies);
}
