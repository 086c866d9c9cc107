import type { Stash } from '../../../../shared/schemas/stash.ts';
import type { Key } from '../../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Table } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { stashesOf } from './state.ts';

/**
 * The stored form of a stash, unchanged since the first version: its end is `expire_at`, in milliseconds. Only this
 * file knows it.
 */
interface Stored extends Omit<Stash, 'expireAtMs'> {
  readonly expire_at: number | null;
}

/** Returns the stored form of a stash, for JSON. */
export function storedStash({ path, content, expireAtMs }: Stash): object {
  return { path, content, expire_at: expireAtMs } satisfies Stored;
}

/** @param value the result of `storedStash`, parsed from JSON */
export function stashOfStored(value: unknown): Stash {
  const { path, content, expire_at: expireAtMs } = value as Stored;
  return { path, content, expireAtMs };
}

const PREFIX = 'stash';

export const stashKey = (namespace: string, path: string): Key => [PREFIX, namespace, path];

/**
 * Stashes by their path, which is one part of the key whatever slashes it contains. Their contents stay in the store.
 */
export const STASHES: StoredTable & Table<Namespace, string, Stash> = {
  prefix: PREFIX,
  key: ({ name }, path) => stashKey(name, path),
  encode: (stash) => JSON.stringify(storedStash(stash)),
  hold: (namespace, path, { expireAtMs }) => stashesOf(namespace).put({ path, expireAtMs }),
  drop: (namespace, path) => stashesOf(namespace).remove(path),
  change: ({ name }, path) => ['stash', name, path],
  load(namespace, _key, text) {
    const { path, expireAtMs } = stashOfStored(JSON.parse(text));
    stashesOf(namespace).put({ path, expireAtMs });
  },
  unload: (namespace, [, , path]) => stashesOf(namespace).remove(String(path)),
  shifted(text, byMs) {
    const stash = stashOfStored(JSON.parse(text));
    if (stash.expireAtMs === null) return undefined;
    return JSON.stringify(storedStash({ ...stash, expireAtMs: stash.expireAtMs + byMs }));
  },
};
