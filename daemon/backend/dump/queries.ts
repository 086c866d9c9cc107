import type { V2Type, Wrapped } from '../../../shared/domain/v2/wrapped-object.ts';
import { MonError } from '../../../shared/errors.ts';
import type { DumpPage } from '../../../shared/schemas/restore.ts';
import type { Key } from '../ports.ts';
import { TABLES } from '../model/tables/tables.ts';
import type { Dump, DumpDeps, StoredObject } from '../model/tables/dump-table.ts';
import { dumpedNamespace } from '../model/namespaces/storage.ts';

/** Selects objects: those of a type after a position, in one namespace or in all of them. */
export interface DumpQuery {
  readonly type: V2Type;
  readonly namespace: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Returns a page of the exact state of one type, in the order of the store: changes in between do not disturb it.
 *
 * @throws MonError `invalid` for a position at which no page ended
 */
export async function dumpPage({ registry, store }: DumpDeps, query: DumpQuery): Promise<DumpPage> {
  const { type, namespace, limit } = query;
  // There are few, and `default` is not even stored.
  if (type === 'Namespace')
    return { objects: registry.declared.names().map(dumpedNamespace).map(asRecord), continue: null };
  const table = DUMPS.get(type);
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
  return { objects: objects.map(asRecord), continue: token };
}

/** The key prefix and the dump functions of each type of object. */
const DUMPS: ReadonlyMap<V2Type, Dump & { readonly prefix: Key }> = new Map(
  TABLES.flatMap(({ prefix, dumps = [] }) =>
    dumps.map((dump) => [dump.type, { ...dump, prefix: dump.kind === undefined ? [prefix] : [prefix, dump.kind] }]),
  ),
);

/** @throws MonError `invalid` */
function keyOfToken(token: string, prefix: Key): Key {
  try {
    const key: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    const isKey = Array.isArray(key) && key.every((part) => typeof part === 'string') && key.length <= 4;
    if (isKey && prefix.every((part, at) => key[at] === part)) return key;
  } catch {
    // The error is thrown below.
  }
  throw new MonError('invalid', 'continue: is not a valid page token: omit continue to start at the first page');
}

function asRecord(object: Wrapped): Readonly<Record<string, unknown>> {
  return { ...object };
}
