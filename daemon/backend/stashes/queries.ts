import { isExpired, secondsLeft } from '../../../shared/domain/expiry.ts';
import type { StashView } from '../../../shared/schemas/stash.ts';
import type { Store } from '../ports.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { stashesOf, type StashEntry } from '../model/stashes/state.ts';
import { stashKey, stashOfStored } from '../model/stashes/storage.ts';

/** Returns the stashes of a namespace that have not expired, sorted by path, without their contents. */
export function unexpiredStashes(namespace: Namespace, nowMs: number): StashEntry[] {
  return stashesOf(namespace)
    .sorted()
    .filter((stash) => !isExpired(stash, nowMs));
}

/**
 * Reads stashes with their contents from the store, in the format of the API. Deleted and expired stashes are omitted.
 */
export async function readStashes(
  store: Store,
  { name }: Namespace,
  paths: readonly Pick<StashEntry, 'path'>[],
  nowMs: number,
): Promise<StashView[]> {
  const values = await store.getMany(paths.map(({ path }) => stashKey(name, path)));
  return values.flatMap((value) => {
    if (value === undefined) return [];
    const stash = stashOfStored(JSON.parse(value));
    return isExpired(stash, nowMs)
      ? []
      : [{ path: stash.path, content: stash.content, expire: secondsLeft(stash, nowMs) }];
  });
}
