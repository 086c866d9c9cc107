import type { Stash } from '../../../shared/schemas/stash.ts';

/** A stash without its content, which stays in the store until it is read. */
export type StashEntry = Omit<Stash, 'content'>;

/** The stashes of one namespace. */
export class StashRegistry {
  readonly #byPath = new Map<string, StashEntry>();
  #sorted: readonly StashEntry[] | undefined;

  get size(): number {
    return this.#byPath.size;
  }

  get(path: string): StashEntry | undefined {
    return this.#byPath.get(path);
  }

  all(): Iterable<StashEntry> {
    return this.#byPath.values();
  }

  /** All of them by path; sorted again only after one came or went. */
  sorted(): readonly StashEntry[] {
    return (this.#sorted ??= [...this.#byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)));
  }

  put(entry: StashEntry): void {
    this.#byPath.set(entry.path, entry);
    this.#sorted = undefined;
  }

  remove(path: string): void {
    this.#byPath.delete(path);
    this.#sorted = undefined;
  }
}
