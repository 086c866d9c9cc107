import { hash } from 'node:crypto';
import { v2EventOf } from '../../../shared/domain/v2/event.ts';
import { v2SilencedName } from '../../../shared/domain/v2/silenced.ts';
import { checkRedactKeysOf, redact } from '../../../shared/domain/redact.ts';
import { isActive, matchingEntries } from '../../../shared/domain/silencing.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { V2Entity } from '../../../shared/schemas/v2/entity.ts';
import type { V2Event } from '../../../shared/schemas/v2/event.ts';
import type { Store } from '../ports.ts';
import type { CheckRecord } from '../model/events/check-record.ts';
import type { CheckEntry, ClientEntry } from '../model/registry/namespace.ts';
import { readRecords } from '../model/events/read-records.ts';
import { readOwners, shownEntity } from '../model/clients/queries.ts';

/** The circumstances that decide how an event is shown. */
interface V2Circumstances {
  readonly nowMs: number;
  /** The setting `acknowledge-as-silence`. */
  readonly showsAcknowledgementsAsSilences: boolean;
}

/**
 * Reads the committed results and events of these checks as v2 events, redacted except for environment variables. A
 * check is omitted if its client or its record was deleted.
 */
export async function readV2Events(
  store: Store,
  entries: readonly CheckEntry[],
  circumstances: V2Circumstances,
): Promise<V2Event[]> {
  const [records, owners] = await Promise.all([readRecords(store, entries), readOwners(store, entries)]);
  const entities = new Map<ClientEntry, V2Entity>();
  return records.flatMap(([entry, record]) => {
    const { client } = entry;
    const owner = owners.get(client);
    if (owner === undefined) return [];
    let entity = entities.get(client);
    if (entity === undefined) entities.set(client, (entity = shownEntity(client.namespace.name, owner.record())));
    return v2Event(entry, record, entity, circumstances) ?? [];
  });
}

/** Builds the v2 event of a check from its record and client; undefined if it has neither a result nor an event. */
export function shownEvent(
  entry: CheckEntry,
  record: CheckRecord,
  client: Client,
  circumstances: V2Circumstances,
): V2Event | undefined {
  return v2Event(entry, record, shownEntity(entry.client.namespace.name, client), circumstances);
}

function v2Event(
  entry: CheckEntry,
  record: CheckRecord,
  entity: V2Entity,
  circumstances: V2Circumstances,
): V2Event | undefined {
  const { client, name } = entry;
  // An event may stay open after an OK result; it then shows the check with the problem, not the OK result.
  const check = record.event === undefined ? record.check : (record.eventCheck ?? record.check);
  if (check === null) return undefined;
  const namespace = client.namespace.name;
  const key = [namespace, client.name, name, check.issued, check.executed];
  return v2EventOf({
    id: record.event?.id ?? uuidOf(key.join('\0')),
    namespace,
    entity,
    check: restoreVariables(redact(check, checkRedactKeysOf(client)), check),
    history: record.event === undefined ? record.history : (record.eventHistory ?? record.history),
    state: record,
    silenced: silencedNames(entry, circumstances),
  });
}

/** Restores redacted environment variables; the v2 routes hide them from callers who may not change the definition. */
function restoreVariables(shown: CheckResult, { env_vars: variables }: CheckResult): CheckResult {
  return shown['env_vars'] === variables ? shown : { ...shown, env_vars: variables };
}

/** Returns the v2 names of the active silences that match a check, sorted as Sensu Go sorts them. */
function silencedNames(check: CheckEntry, { nowMs, showsAcknowledgementsAsSilences }: V2Circumstances): string[] {
  const { namespace, subscriptions } = check.client;
  const names = new Set<string>();
  for (const entry of matchingEntries(namespace.silenced, subscriptions, check.name, check.selected())) {
    if (isActive(entry, nowMs)) names.add(v2SilencedName(entry));
  }
  if (showsAcknowledgementsAsSilences && check.state.event?.acknowledgement !== undefined) {
    names.add(v2SilencedName({ subscription: `client:${check.client.name}`, check: check.name }));
  }
  return [...names].toSorted();
}

/** Derives a version 8 UUID from a text, as the event id of a result that has no open event. */
function uuidOf(text: string): string {
  const hex = hash('sha256', text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
