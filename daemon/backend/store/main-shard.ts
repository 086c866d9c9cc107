/** One process owns the one shard there is (architecture, State). */
export const SHARD = 'main';
