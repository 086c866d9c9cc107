/** The only shard, which one process owns (architecture, State). */
export const SHARD = 'main';

/** Time until the lease of a lost leader expires; it is renewed several times as often. */
export const LEASE_MS = 3000;
