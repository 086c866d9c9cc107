import type { Store } from '../../ports.ts';
import { decodeCheckRecord, type CheckRecord } from './check-record.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import { checkRecordKey } from './storage.ts';

/**
 * Reads the committed records of these checks, in their order; a check without a record is omitted. Records always come
 * from the store, because the registry in memory can be one batch ahead of the store.
 */
export async function readRecords(
  store: Store,
  entries: readonly CheckEntry[],
): Promise<(readonly [CheckEntry, CheckRecord])[]> {
  return (await readRecordTexts(store, entries)).map(([entry, text]) => [entry, decodeCheckRecord(text)]);
}

/** Reads the committed records of these checks as stored text, not parsed; a check without a record is omitted. */
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
