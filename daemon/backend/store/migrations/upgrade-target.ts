import type { Key } from '../../ports.ts';

/** A range of encoded keys. */
export interface KeyRange {
  readonly gte: string;
  readonly lt: string;
}

/** Reads single keys and values of a store, for the search for obstacles. */
export interface MigrationReader {
  /** Returns the stored value of a key; undefined: there is none. */
  get(key: Key): Promise<string | undefined>;
  /** Returns the first keys of a range, in order. */
  keys(range: KeyRange, limit: number): Promise<readonly Key[]>;
}

/** A value for which a migration has a newer form. */
export interface RewrittenValue {
  readonly key: Key;
  readonly old: string;
  readonly current: string;
}

/**
 * The database of a store of either kind, for migrations that change it while others read and write it. Values are
 * whole: amendments are merged into them.
 */
export interface UpgradeTarget extends MigrationReader {
  /** Location of the store, for operators. */
  readonly location: string;

  /** Returns the number of values below a prefix. */
  count(prefix: Key, signal?: AbortSignal): Promise<number>;

  /** Yields the values below a prefix in order, in pages that are small enough to be rewritten at once. */
  pages(prefix: Key): AsyncIterable<readonly (readonly [Key, string])[]>;

  /**
   * Replaces those values that did not change since they were read, atomically and synced. Any other writer has written
   * the newest form.
   */
  replace(values: readonly RewrittenValue[], signal: AbortSignal): Promise<void>;

  /** Stores the schema version, synced. */
  writeVersion(version: number): Promise<void>;
}

/** Size of one page: small enough for results to be committed in between without a noticeable delay. */
export const PAGE_ENTRIES = 500;
export const PAGE_BYTES = 1024 * 1024;
