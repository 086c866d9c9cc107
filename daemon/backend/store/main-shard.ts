/** One process owns the one shard there is (architecture, State). */
export const SHARD = 'main';

/** How long others wait for one that is gone; it is renewed several times as often. */
export const LEASE_MS = 3000;
