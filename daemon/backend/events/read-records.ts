import type { Store } from '../ports.ts';
import { decodeCheckRecord, type CheckRecord } from './check-record.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import { checkRecordKey } from './table.ts';

/**
 * The committed records of these checks, in order. What is read is always whole: the registry may already be a batch
 * ahead, so it says which records there are and never what is in them.
 */
export async function readRecords(
  store: Store,
  entries: readonly CheckEntry[],
): Promise<(readonly [CheckEntry, CheckRecord])[]> {
  return (await readRecordTexts(store, entries)).map(([entry, text]) => [entry, decodeCheckRecord(text)]);
}

/** Records as they are stored, unread. */
export async function readRecordTexts(
  store: Store,
  entries: readonly CheckEntry[],
): Promise<(readonly [CheckEntry, string])[]> {
  const keys = entries.map(({ client, name }) => checkRecordKey(client.namespace.name, client.name, name));
  const values = await store.getMany(keys);
  return entries.flatMap((entry, at) => {
    const value = values[at];
    return value === undefined ? [] : [[entry, value] as const];
  });
}
