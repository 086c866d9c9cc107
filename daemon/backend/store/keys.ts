import { randomUUID } from 'node:crypto';
import type { Key } from '../ports.ts';

/**
 * The first part of the keys of the store's internal records. It is a number, while all other keys begin with a string.
 * So no caller of `Store` can reach the internal records.
 */
export const INTERNAL_PREFIX = 0;
/**
 * Key of the permanent id of the store. If this id has changed, a follower cannot continue from the state that it has
 * in memory.
 */
export const STORE_ID: Key = [INTERNAL_PREFIX, 'id'];
export const newStoreId = (): string => JSON.stringify(randomUUID());
export const SCHEMA_VERSION: Key = [INTERNAL_PREFIX, 'schema'];
/**
 * Key of the directory of the backup that is being restored. It exists while the store contains only a part of the
 * backup.
 */
export const RESTORING_KEY: Key = [INTERNAL_PREFIX, 'restoring'];
/**
 * Prefix of the keys under which the newest epoch of each lease is stored. The epoch increases with each acquisition.
 */
export const EPOCHS_PREFIX: Key = [INTERNAL_PREFIX, 'epoch'];
export const epochKey = (lease: string): Key => [...EPOCHS_PREFIX, lease];
/** Prefix of the keys under which the last sequence number of each shard is stored. */
const LAST_SEQS_PREFIX: Key = [INTERNAL_PREFIX, 'seq'];
export const lastSeqKey = (shard: string): Key => [...LAST_SEQS_PREFIX, shard];
/** Returns the prefix of the keys of the change records of a shard, which sort by sequence number. */
export const changeRecords = (shard: string): Key => [INTERNAL_PREFIX, 'change', shard];
export const changeKey = (shard: string, seq: number): Key => [...changeRecords(shard), seq];
