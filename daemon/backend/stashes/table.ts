import type { Stash } from '../../../shared/schemas/stash.ts';
import type { Key } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { HeldTable } from '../registry/registry.ts';
import type { ShiftedTable } from '../registry/shift-times.ts';
import type { Table } from '../registry/table.ts';
import { stashOfStored, storedStash } from './stored.ts';

const PREFIX = 'stash';

export const stashKey = (namespace: string, path: string): Key => [PREFIX, namespace, path];

/** Stashes by their path, which is one part of the key whatever slashes it holds. Their contents stay in the store. */
export const STASHES: HeldTable & ShiftedTable & Table<Namespace, string, Stash> = {
  prefix: PREFIX,
  key: ({ name }, path) => stashKey(name, path),
  encode: (stash) => JSON.stringify(storedStash(stash)),
  hold: ({ stashes }, path, { expireAtMs }) => stashes.put({ path, expireAtMs }),
  drop: ({ stashes }, path) => stashes.remove(path),
  change: ({ name }, path) => ['stash', name, path],
  load({ stashes }, _key, text) {
    const { path, expireAtMs } = stashOfStored(JSON.parse(text));
    stashes.put({ path, expireAtMs });
  },
  shifted(text, byMs) {
    const stash = stashOfStored(JSON.parse(text));
    if (stash.expireAtMs === null) return undefined;
    return JSON.stringify(storedStash({ ...stash, expireAtMs: stash.expireAtMs + byMs }));
  },
};
