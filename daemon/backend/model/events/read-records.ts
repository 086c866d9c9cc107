import type { Store } from '../../ports.ts';
import { decodeCheckRecord, type CheckRecord } from './check-record.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import { checkRecordKey } from './storage.ts';

/**
 * Reads the committed records of these checks, in order. The content always comes from the store, because the registry
 * may be a batch ahead: the registry only decides which records exist.
 */
export async function readRecords(
  store: Store,
  entries: readonly CheckEntry[],
): Promise<(readonly [CheckEntry, CheckRecord])[]> {
  return (await readRecordTexts(store, entries)).map(([entry, text]) => [entry, decodeCheckRecord(text)]);
}

/** Reads records as stored text, unparsed. */
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
