import type { Stash } from '../../../../shared/schemas/stash.ts';
import type { Footprint } from '../registry/footprint.ts';
import type { Namespace } from '../registry/namespace.ts';

const STASH_BYTES = 120;

/** A stash in memory. Its content is only in the store and is read for each request. */
export type StashEntry = Omit<Stash, 'content'>;

/** The stashes of one namespace, without their contents. */
class StashRegistry {
  readonly #byPath = new Map<string, StashEntry>();
  readonly #footprint: Footprint;
  #sorted: readonly StashEntry[] | undefined;

  constructor(footprint: Footprint) {
    this.#footprint = footprint;
  }

  get size(): number {
    return this.#byPath.size;
  }

  get(path: string): StashEntry | undefined {
    return this.#byPath.get(path);
  }

  all(): Iterable<StashEntry> {
    return this.#byPath.values();
  }

  /** Returns all stashes sorted by path. The sorted list is cached until a stash is stored or removed. */
  sorted(): readonly StashEntry[] {
    return (this.#sorted ??= [...this.#byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)));
  }

  put(entry: StashEntry): void {
    if (!this.#byPath.has(entry.path)) this.#footprint.bytes += bytesOf(entry.path);
    this.#byPath.set(entry.path, entry);
    this.#sorted = undefined;
  }

  remove(path: string): void {
    if (this.#byPath.delete(path)) this.#footprint.bytes -= bytesOf(path);
    this.#sorted = undefined;
  }
}

const openStashes = (footprint: Footprint): StashRegistry => new StashRegistry(footprint);

export function stashesOf(namespace: Namespace): StashRegistry {
  return namespace.state(openStashes);
}

function bytesOf(path: string): number {
  return STASH_BYTES + path.length;
}
