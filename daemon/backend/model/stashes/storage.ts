import type { Stash } from '../../../../shared/schemas/stash.ts';
import type { Key } from '../../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Table } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { stashesOf } from './state.ts';

/**
 * The stored form of a stash, unchanged since the first version. Its end is `expire_at`, in epoch milliseconds. Only
 * this file depends on this form.
 */
interface StoredStash extends Omit<Stash, 'expireAtMs'> {
  readonly expire_at: number | null;
}

/** Converts a stash to its stored form, as an object for `JSON.stringify`. */
export function storedStash({ path, content, expireAtMs }: Stash): object {
  return { path, content, expire_at: expireAtMs } satisfies StoredStash;
}

/**
 * Converts the stored form of a stash to the form in memory.
 *
 * @param value result of `storedStash` after a round trip through JSON
 */
export function stashOfStored(value: unknown): Stash {
  const { path, content, expire_at: expireAtMs } = value as StoredStash;
  return { path, content, expireAtMs };
}

const STASH_PREFIX = 'stash';

export const stashKey = (namespace: string, path: string): Key => [STASH_PREFIX, namespace, path];

/**
 * The stored table of stashes, by path. A path is one element of the key, even if it contains slashes. The contents of
 * stashes are not loaded into memory.
 */
export const STASHES: StoredTable & Table<Namespace, string, Stash> = {
  prefix: STASH_PREFIX,
  key: ({ name }, path) => stashKey(name, path),
  encode: (stash) => JSON.stringify(storedStash(stash)),
  putInMemory: (namespace, path, { expireAtMs }) => stashesOf(namespace).put({ path, expireAtMs }),
  removeFromMemory: (namespace, path) => stashesOf(namespace).remove(path),
  change: ({ name }, path) => ['stash', name, path],
  load(namespace, _key, text) {
    const { path, expireAtMs } = stashOfStored(JSON.parse(text));
    stashesOf(namespace).put({ path, expireAtMs });
  },
  unload: (namespace, [, , path]) => stashesOf(namespace).remove(String(path)),
  shiftTimes(text, byMs) {
    const stash = stashOfStored(JSON.parse(text));
    if (stash.expireAtMs === null) return undefined;
    return JSON.stringify(storedStash({ ...stash, expireAtMs: stash.expireAtMs + byMs }));
  },
};
