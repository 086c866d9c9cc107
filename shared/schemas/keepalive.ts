/** Seconds without a keepalive before a keepalive event, as at the peer: 120 and 180. */
export const KEEPALIVE_THRESHOLDS = { warning: 120, critical: 180 } as const;
