/** Limits that cannot be configured. */

/**
 * Limits on the attributes of one client or result (security S7): the size of its JSON in bytes, and the number of keys
 * in each of its objects. Real ones have a few KiB, so larger ones are a mistake or an attack.
 */
export const ATTRIBUTE_LIMITS = { bytes: 64 * 1024, keys: 1000 } as const;

/**
 * Maximum number of silences in one namespace (security S7). People do not create that many, so more are the mistake of
 * a script.
 */
export const SILENCES_MAX = 1_000_000;

/**
 * Seconds after the deletion of a client during which a result does not create the client again. On a working network,
 * late results arrive sooner. A device that still exists is missing for only this time.
 */
export const CLIENT_QUARANTINE_SECONDS = 60;

/**
 * Maximum number of stored transitions per check on a client. It suffices for one transition every 10 minutes for 69
 * days.
 */
export const TRANSITIONS_PER_CHECK = 10_000;

/**
 * Seconds by which a follower may lag behind the leader and still serve reads. The usual lag is a few milliseconds, so
 * a follower that lags more than this cannot keep up.
 */
export const FOLLOWER_LAG_SECONDS = 5;

/** Maximum size of the send buffer of one slow connection, in MiB: twice the largest frame. */
export const CONNECTION_BUFFER_MIB = 32;

/** Number of matching events from which the console asks the user to confirm a silence. */
export const SILENCE_WARN_MATCHES = 50;
