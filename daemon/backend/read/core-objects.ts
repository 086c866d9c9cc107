import { createHash } from 'node:crypto';
import { coreEntityOf } from '../../../shared/domain/core/entity.ts';
import { coreEventOf } from '../../../shared/domain/core/event.ts';
import { coreSilencedName, coreSilencedOf } from '../../../shared/domain/core/silenced.ts';
import { checkRedactKeysOf, redact, redactKeysOf } from '../../../shared/domain/redact.ts';
import { isActive, matchingEntries } from '../../../shared/domain/silencing.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { CoreEntity } from '../../../shared/schemas/core/entity.ts';
import type { CoreEvent } from '../../../shared/schemas/core/event.ts';
import type { CoreSilenced } from '../../../shared/schemas/core/silenced.ts';
import type { Store } from '../ports.ts';
import type { CheckRecord } from '../registry/check-record.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../registry/namespace.ts';
import { readRecords } from './records.ts';
import { livingEntries } from './silenced.ts';

/** A client as an entity, redacted. */
export function shownEntity(namespace: string, client: Client): CoreEntity {
  return coreEntityOf(namespace, redact(client, redactKeysOf(client)));
}

/** Living entries as the newer API shows them, by their names. */
export function shownSilenced(
  { name }: Pick<Namespace, 'name'>,
  entries: Parameters<typeof livingEntries>[0],
  nowMs: number,
): CoreSilenced[] {
  return livingEntries(entries, nowMs)
    .map((entry) => coreSilencedOf(name, entry))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** The committed events of these checks, redacted; one that is gone by now is left out. */
export async function readCoreEvents(
  store: Store,
  entries: readonly CheckEntry[],
  nowMs: number,
): Promise<CoreEvent[]> {
  const entities = new Map<ClientEntry, CoreEntity>();
  return (await readRecords(store, entries)).flatMap(([entry, record]) => {
    const { client } = entry;
    let entity = entities.get(client);
    if (entity === undefined) entities.set(client, (entity = shownEntity(client.namespace.name, client.record)));
    return shownEvent(entry, record, entity, nowMs) ?? [];
  });
}

function shownEvent(entry: CheckEntry, record: CheckRecord, entity: CoreEntity, nowMs: number): CoreEvent | undefined {
  const { client, name } = entry;
  // An event that outlives an OK is what is wrong, not that OK.
  const check = record.event === undefined ? record.check : (record.eventCheck ?? record.check);
  if (check === null) return undefined;
  const namespace = client.namespace.name;
  const key = [namespace, client.name, name, check.issued, check.executed];
  return coreEventOf({
    id: record.event?.id ?? uuidOf(key.join('\0')),
    namespace,
    entity,
    check: redact(check, checkRedactKeysOf(client.record)),
    history: record.event === undefined ? record.history : (record.eventHistory ?? record.history),
    state: record,
    silenced: silencedNames(entry, nowMs),
  });
}

function silencedNames({ client: { namespace, record }, name }: CheckEntry, nowMs: number): string[] {
  const names: string[] = [];
  for (const entry of matchingEntries(namespace.silenced, record.subscriptions, name)) {
    if (isActive(entry, nowMs)) names.push(coreSilencedName(entry));
  }
  return names;
}

/** The same for the same text, in the form of a UUID of version 8: a result that is well has no id of its own. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
