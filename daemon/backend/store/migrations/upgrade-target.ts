import type { Key } from '../../ports.ts';

/** A range of encoded keys, from `gte` (included) to `lt` (excluded). */
export interface KeyRange {
  readonly gte: string;
  readonly lt: string;
}

/** Reads single keys and values of a store, so that a migration can find what blocks the upgrade. */
export interface MigrationReader {
  /** Returns the stored value of a key; undefined if the key is not stored. */
  get(key: Key): Promise<string | undefined>;
  /** Returns the first keys of a range in order, at most `limit`. */
  keys(range: KeyRange, limit: number): Promise<readonly Key[]>;
}

/** A stored value (`old`) and the new form that a migration replaces it with (`current`). */
export interface RewrittenValue {
  readonly key: Key;
  readonly old: string;
  readonly current: string;
}

/**
 * A store in LevelDB or PostgreSQL that migrations change while other callers read and write it. Its values are
 * complete: amendments (stored differences) are already applied.
 */
export interface UpgradeTarget extends MigrationReader {
  /** Location of the store, for operators. */
  readonly location: string;

  /** Returns the number of values below a prefix. */
  count(prefix: Key, signal?: AbortSignal): Promise<number>;

  /**
   * Yields the values below a prefix in the order of their keys, in pages that are small enough for one call of
   * `replace`.
   */
  pages(prefix: Key): AsyncIterable<readonly (readonly [Key, string])[]>;

  /**
   * Replaces each value, synced to disk, unless it has changed since it was read. A changed value needs no replacement,
   * because every other writer writes the newest form.
   */
  replace(values: readonly RewrittenValue[], signal: AbortSignal): Promise<void>;

  /** Stores the schema version, synced to disk. */
  writeVersion(version: number): Promise<void>;
}

/**
 * Maximum size of one page. Results are committed between two pages, so pages are small enough to cause no noticeable
 * delay.
 */
export const PAGE_ENTRIES = 500;
export const PAGE_BYTES = 1024 * 1024;
