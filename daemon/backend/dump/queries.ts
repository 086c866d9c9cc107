import type { DumpedType, WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { MonError } from '../../../shared/errors.ts';
import type { DumpPage } from '../../../shared/schemas/restore.ts';
import type { Key } from '../ports.ts';
import { TABLES } from '../model/tables/tables.ts';
import type { TableDump, DumpDependencies, StoredObject } from '../model/tables/dump-table.ts';
import { dumpedNamespace } from '../model/namespaces/storage.ts';

/**
 * The query for a page of a dump: objects of one type. If `namespace` is undefined, the page contains objects of all
 * namespaces. If `after` is undefined, it is the first page.
 */
export interface DumpQuery {
  readonly type: DumpedType;
  readonly namespace: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Returns a page of a dump: objects of one type with their exact state, in the order of their keys. A page starts after
 * the last key of the previous page, so changes between two requests do not shift pages.
 *
 * @throws MonError `invalid` if `after` is not a valid page token for this type
 */
export async function dumpPage({ registry, store }: DumpDependencies, query: DumpQuery): Promise<DumpPage> {
  const { type, namespace, limit } = query;
  // Namespaces are not paginated, because there are few. They are read from memory, because the namespace `default` is
  // not stored.
  if (type === 'Namespace')
    return { objects: registry.declared.names().map(dumpedNamespace).map(toRecord), continue: null };
  const table = DUMPS_BY_TYPE.get(type);
  if (table === undefined) throw new Error(`internal error: no table contains objects of the type ${type}`);
  const prefix = namespace === undefined || !table.isNamespaced ? table.prefix : [...table.prefix, namespace];
  const after = query.after === undefined ? undefined : keyOfToken(query.after, prefix);
  const rows: StoredObject[] = [];
  let last: Key | undefined;
  let count = 0;
  for await (const [key, value] of store.scan(prefix, { ...(after !== undefined && { after }), limit })) {
    count++;
    last = key;
    rows.push([key.slice(table.prefix.length).map(String), JSON.parse(value)]);
  }
  const objects = await table.dumped(rows, { registry, store });
  const isLast = last === undefined || count < limit;
  const token = isLast ? null : Buffer.from(JSON.stringify(last)).toString('base64url');
  return { objects: objects.map(toRecord), continue: token };
}

/** The key prefix and the dump functions for each type of object. */
const DUMPS_BY_TYPE: ReadonlyMap<DumpedType, TableDump & { readonly prefix: Key }> = new Map(
  TABLES.flatMap(({ prefix, dumps = [] }) =>
    dumps.map((dump) => [dump.type, { ...dump, prefix: dump.kind === undefined ? [prefix] : [prefix, dump.kind] }]),
  ),
);

/**
 * Decodes a page token.
 *
 * @throws MonError `invalid` if the token is not the key of an object below the prefix
 */
function keyOfToken(token: string, prefix: Key): Key {
  try {
    const key: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    const isKey = Array.isArray(key) && key.every((part) => typeof part === 'string') && key.length <= 4;
    if (isKey && prefix.every((part, at) => key[at] === part)) return key;
  } catch {
    // The error for an invalid token is thrown below.
  }
  throw new MonError('invalid', 'continue: is not a valid page token: omit continue to start at the first page');
}

function toRecord(object: WrappedObject): Readonly<Record<string, unknown>> {
  return { ...object };
}
