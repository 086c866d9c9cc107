/** Limits that no setting changes. */

/**
 * Limits on the attributes of one client or result (security S7): bytes of its JSON, and keys of each object in it.
 * Real ones have a few KiB; more is a mistake of the sender or an attack.
 */
export const ATTRIBUTE_LIMITS = { bytes: 64 * 1024, keys: 1000 } as const;

/** Maximum silences of one namespace (security S7). More would be the mistake of a script, not the work of people. */
export const SILENCES_MAX = 1_000_000;

/**
 * Seconds during which a late result cannot recreate a deleted client: results wait for less than this on a working
 * network, and a device that really is back is only a minute late.
 */
export const CLIENT_QUARANTINE_SECONDS = 60;

/** Transitions that are stored for each client and check: one that changes every 10 minutes for 70 days. */
export const TRANSITIONS_PER_CHECK = 10_000;

/**
 * Seconds that a follower may lag behind the leader and still serve reads. A follower is usually a few milliseconds
 * behind, so this much means that it cannot follow.
 */
export const FOLLOWER_LAG_SECONDS = 5;

/** MiB buffered for one slow connection: twice the largest frame. */
export const CONNECTION_BUFFER_MIB = 32;

/** Number of matching events from which the console asks for confirmation of a silence. */
export const SILENCE_WARN_MATCHES = 50;
