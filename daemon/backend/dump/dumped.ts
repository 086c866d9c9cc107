import { v2EntityOf } from '../../../shared/domain/v2/entity.ts';
import { v2EventOf } from '../../../shared/domain/v2/event.ts';
import { silencedRow } from '../../../shared/domain/silencing.ts';
import { v2SilencedOf } from '../../../shared/domain/v2/silenced.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { SilencedEntry, SilencedUse } from '../../../shared/schemas/silenced.ts';
import type { CheckRecord } from '../events/check-record.ts';
import type { StoredClient } from '../clients/client-record.ts';
import { type V2Type, type Wrapped, wrappedOf } from '../../../shared/domain/v2/wrapped.ts';

/*
 * Objects as a dump holds them: as the newer API shows them, unredacted, and under `mon` what else it takes to bring them
 * back as they are. What is only true at the moment of reading, such as whether an event is silenced, is left out.
 */

export function dumpedNamespace(name: string): Wrapped {
  return wrappedOf('Namespace', {}, { name });
}

export function dumpedDefinition(
  type: V2Type,
  {
    metadata: { namespace, ...metadata },
    ...spec
  }: { readonly metadata: Readonly<Record<string, unknown>>; readonly [attribute: string]: unknown },
): Wrapped {
  // What is over all namespaces is in none.
  return wrappedOf(type, namespace === '' ? metadata : { ...metadata, namespace }, spec);
}

export function dumpedEntity(namespace: string, stored: StoredClient): Wrapped {
  const { metadata, ...spec } = v2EntityOf(namespace, stored.client);
  return wrappedOf('Entity', metadata, { ...spec, mon: stored });
}

/** @param record with a check, of the result or of the event: each record has one */
export function dumpedEvent(namespace: string, client: Client, record: CheckRecord): Wrapped {
  const { history, lastOk, event, eventHistory, eventCheck, check } = record;
  const reported = check ?? eventCheck;
  if (reported === undefined) throw new Error(`the record of ${client.name} holds no check`);
  const entity = v2EntityOf(namespace, client);
  const id = event?.id ?? '';
  const shown = v2EventOf({ id, namespace, entity, check: reported, history, state: record, silenced: [] });
  return wrappedOf(
    'Event',
    { ...shown.metadata, namespace },
    {
      ...without(shown, ['metadata', 'sequence']),
      // The entity is an object of its own in the dump.
      entity: { entity_class: entity.entity_class, metadata: { name: client.name, namespace } },
      check: without(shown.check, ['is_silenced', 'silenced']),
      mon: { history, lastOk, event, eventHistory, eventCheck, check },
    },
  );
}

export function dumpedSilenced(namespace: string, entry: SilencedEntry, use: SilencedUse | undefined): Wrapped {
  const { metadata, ...spec } = v2SilencedOf(namespace, entry);
  return wrappedOf('Silenced', metadata, { ...spec, mon: { entry: silencedRow(entry), use } });
}

function without(object: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
