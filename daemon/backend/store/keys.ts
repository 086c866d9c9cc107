import { randomUUID } from 'node:crypto';
import type { Key } from '../ports.ts';

/**
 * The first part of the keys of the store's own records. It is a number; all other keys begin with a string. So nothing
 * that is written through the port can reach these records.
 */
export const OWN = 0;
/** Identifies the store permanently. A follower continues only if the id is the same. */
export const STORE_ID: Key = [OWN, 'id'];
export const newStoreId = (): string => JSON.stringify(randomUUID());
export const SCHEMA_VERSION: Key = [OWN, 'schema'];
/** The backup that is being restored; present while the store holds only a part of it. */
export const RESTORING: Key = [OWN, 'restoring'];
/** The newest epoch of each lease. */
export const EPOCHS: Key = [OWN, 'epoch'];
export const epochKey = (lease: string): Key => [...EPOCHS, lease];
/** The last sequence number of each shard. */
const LAST_SEQS: Key = [OWN, 'seq'];
export const lastSeqKey = (shard: string): Key => [...LAST_SEQS, shard];
/** Change records of a shard in order. */
export const changeRecords = (shard: string): Key => [OWN, 'change', shard];
export const changeKey = (shard: string, seq: number): Key => [...changeRecords(shard), seq];
