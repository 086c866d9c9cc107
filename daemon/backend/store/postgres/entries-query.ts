import type { QueryConfig } from 'pg';

/** Encoded key and value. */
export interface EntryRow {
  readonly key: string;
  readonly value: string;
}

/** Both columns are bytes that are UTF-8. */
const AS_TEXT = { getTypeParser: () => (value: Buffer | string) => value.toString() };

/** A query whose rows are entries. It asks for bytes as they are: in text form they would be twice as long. */
export function entriesQuery(name: string, text: string, values: unknown[]): QueryConfig {
  const query: QueryConfig & { readonly binary: true } = { name, text, values, binary: true, types: AS_TEXT };
  return query;
}
