import type { ClientBase, Pool, QueryConfig } from 'pg';
import type { Key } from '../../ports.ts';
import { encodeNamed } from '../scan-range.ts';
import { byteaArray } from './bytea-array.ts';
import { SELECT_VALUES } from './statements.ts';

/** A row of a query result, with an encoded key and its value. */
export interface EntryRow {
  readonly key: string;
  readonly value: string;
}

/** Column parsers that decode keys and values, which are UTF-8 bytes, to strings. */
const TEXT_PARSERS = { getTypeParser: () => (value: Buffer | string) => value.toString() };

/**
 * Returns a query that selects keys and values. The query requests the binary format, because the text format of bytes
 * is twice as long.
 */
export function entriesQuery(name: string, text: string, values: unknown[]): QueryConfig {
  const query: QueryConfig & { readonly binary: true } = { name, text, values, binary: true, types: TEXT_PARSERS };
  return query;
}

/** Returns the stored values in the order of `keys`, with undefined for each key that is not stored. */
export async function readValues(reader: Pool | ClientBase, keys: readonly Key[]): Promise<(string | undefined)[]> {
  if (keys.length === 0) return [];
  const encoded = keys.map(encodeNamed);
  const keyArray = byteaArray(encoded.map((key) => Buffer.from(key)));
  const { rows } = await reader.query<EntryRow>(entriesQuery('values', SELECT_VALUES, [keyArray]));
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return encoded.map((key) => values.get(key));
}
