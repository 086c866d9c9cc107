/** Seconds of silence before a keepalive event, from the reference peer: 120 and 180. */
export const KEEPALIVE_THRESHOLDS = { warning: 120, critical: 180 } as const;
