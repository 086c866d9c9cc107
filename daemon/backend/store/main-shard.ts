/** Name of the only shard of the store. One process at a time may write to a shard (architecture, State). */
export const MAIN_SHARD = 'main';

/**
 * Time until the lease of a lost leader expires, in milliseconds. A running leader renews its lease several times
 * within this time.
 */
export const LEASE_MS = 3000;
