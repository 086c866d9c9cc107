/**
 * Seconds without a keepalive after which the keepalive check becomes warning or critical. Sensu has the same defaults.
 */
export const KEEPALIVE_THRESHOLDS = { warning: 120, critical: 180 } as const;
