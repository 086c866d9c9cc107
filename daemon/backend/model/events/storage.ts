import type { Key } from '../../ports.ts';
import { CheckEntry, type Namespace } from '../registry/namespace.ts';
import type { AmendedTable, AnnouncedTable } from '../registry/table.ts';
import {
  datedCheckRecord,
  encodeCheckRecord,
  encodeRecordParts,
  encodeRenewed,
  toCachedRecord,
  renewedBodies,
  type CheckBodies,
  type CheckRecord,
  type CachedRecord,
  type RenewedResult,
} from './check-record.ts';
import { EVENT_TOPIC } from './feed-rows.ts';
import { decodeClient } from '../clients/client-record.ts';
import { clientKey } from '../clients/storage.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { v2EntityOf } from '../../../../shared/domain/v2/entity.ts';
import { v2EventOf } from '../../../../shared/domain/v2/event.ts';
import type { Client } from '../../../../shared/schemas/client.ts';
import { type WrappedObject, wrappedOf } from '../../../../shared/domain/v2/wrapped-object.ts';

const CHECK_PREFIX = 'check';

export const checkRecordKey = (namespace: string, client: string, check: string): Key => [
  CHECK_PREFIX,
  namespace,
  client,
  check,
];

interface CheckTable
  extends StoredTable, AmendedTable<CheckEntry, CheckBodies, RenewedResult>, AnnouncedTable<CheckEntry> {}

/**
 * The stored table of check records: one per client and check, with the last result and the open event. It is loaded
 * after the clients, because each record belongs to a client.
 */
export const CHECK_RECORDS: CheckTable = {
  prefix: CHECK_PREFIX,
  isEntry: (entry): entry is CheckEntry => entry instanceof CheckEntry,
  key: ({ client, name }) => checkRecordKey(client.namespace.name, client.name, name),
  encode: (entry, bodies, era) => encodeCheckRecord(entry.state, bodies, entry.deletionsBefore, era),
  encodeParts: (entry, { check }, era) => {
    const { baseline, state, deletionsBefore } = entry;
    if (baseline === undefined || check === null) return undefined;
    if (baseline.isStored) {
      // A stored update (amendment) with the same stamp would be applied to the new record too, so the baseline is
      // invalidated.
      baseline.forget();
      entry.baseline = undefined;
      return undefined;
    }
    baseline.isStored = true;
    return { stamp: baseline.stamp, parts: encodeRecordParts(state, check, deletionsBefore, era) };
  },
  encodeAmendment: ({ state, deletionsBefore }, renewed, era) => ({
    stamp: renewed.stamp,
    parts: encodeRenewed(state, renewed, deletionsBefore, era),
  }),
  amend: renewedBodies,
  decode: datedCheckRecord,
  owner: ({ client }) => client,
  announce(entry, nowMs) {
    const { client, name } = entry;
    client.namespace.aggregates.noteSilencing(entry, nowMs);
    return ['event', client.namespace.name, client.name, name];
  },
  load(namespace, [, , client, check], text, { corrections, texts }) {
    const name = texts.share(String(check));
    loadCheck(namespace, [String(client), name], toCachedRecord(text, name, corrections));
  },
  unload(namespace, [, , client, check]) {
    const entry = namespace.check(String(client), String(check));
    if (entry !== undefined) namespace.removeCheck(entry);
  },
  topic: EVENT_TOPIC,
  dumps: [
    {
      type: 'Event',
      isNamespaced: true,
      async dumped(rows, { store }) {
        const owners = await store.getMany(rows.map(([[namespace = '', client = '']]) => clientKey(namespace, client)));
        return rows.flatMap(([[namespace = ''], value], at) => {
          const owner = owners[at];
          return owner === undefined ? [] : dumpedEvent(namespace, decodeClient(owner).client, value as CheckRecord);
        });
      },
    },
  ],
};

function loadCheck(namespace: Namespace, [client, check]: readonly [string, string], record: CachedRecord): void {
  const owner = namespace.clients.get(client);
  // A client and its records are deleted in the same batch, but a follower can read them at different times.
  if (owner === undefined) return;
  const entry = namespace.ensureCheck(owner, check);
  if (record.selected !== undefined) namespace.updateCheckSelectorAttributes(entry, record.selected, record.eventCheck);
  namespace.updateCheckAttributes(entry, record.selected);
  namespace.setCheck(entry, record.state, record.result, record.output, record.deletionsBefore);
  namespace.aggregates.forgetSilencing(entry);
}

function omitAttributes(object: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/**
 * Converts a check record to an event of a dump.
 *
 * @param record record with a result or the check of an event; each stored record has at least one of them
 */
export function dumpedEvent(namespace: string, client: Client, record: CheckRecord): WrappedObject {
  const { history, lastOk, okCount, okWatermark, event, eventHistory, eventCheck, check } = record;
  const reported = check ?? eventCheck;
  if (reported === undefined) throw new Error(`the stored record of the client ${client.name} contains no check`);
  const entity = v2EntityOf(namespace, client);
  const id = event?.id ?? '';
  const shown = v2EventOf({ id, namespace, entity, check: reported, history, state: record, silenced: [] });
  return wrappedOf(
    'Event',
    { ...shown.metadata, namespace },
    {
      ...omitAttributes(shown, ['metadata', 'sequence']),
      // The entity is only a reference, because the dump contains the whole entity as a separate object.
      entity: { entity_class: entity.entity_class, metadata: { name: client.name, namespace } },
      check: omitAttributes(shown.check, ['is_silenced', 'silenced']),
      mon: { history, lastOk, okCount, okWatermark, event, eventHistory, eventCheck, check },
    },
  );
}
