import type { ClientBase, Pool, QueryConfig } from 'pg';
import type { Key } from '../../ports.ts';
import { encodeNamed } from '../scan-range.ts';
import { byteaArray } from './bytea-array.ts';
import { VALUES } from './statements.ts';

/** An encoded key and its value. */
export interface EntryRow {
  readonly key: string;
  readonly value: string;
}

/** Decodes both columns, which hold UTF-8 bytes. */
const AS_TEXT = { getTypeParser: () => (value: Buffer | string) => value.toString() };

/** Returns a query whose rows are entries. It requests binary columns, because the text form is twice as long. */
export function entriesQuery(name: string, text: string, values: unknown[]): QueryConfig {
  const query: QueryConfig & { readonly binary: true } = { name, text, values, binary: true, types: AS_TEXT };
  return query;
}

/** Returns values in the order of `keys`; undefined where there is none. */
export async function readValues(reader: Pool | ClientBase, keys: readonly Key[]): Promise<(string | undefined)[]> {
  if (keys.length === 0) return [];
  const encoded = keys.map(encodeNamed);
  const keyArray = byteaArray(encoded.map((key) => Buffer.from(key)));
  const { rows } = await reader.query<EntryRow>(entriesQuery('values', VALUES, [keyArray]));
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return encoded.map((key) => values.get(key));
}
