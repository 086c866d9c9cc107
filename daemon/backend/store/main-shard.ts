/** Name of the only shard, to which one process at a time writes (architecture, State). */
export const SHARD = 'main';

/**
 * Time until the lease of a lost leader expires, in milliseconds. A running leader renews its lease several times
 * within this time.
 */
export const LEASE_MS = 3000;
