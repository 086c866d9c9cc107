/** Range of `days` in a request for the shifts of a schedule. */
export const SHIFT_DAYS = { min: 1, default: 14, max: 92 } as const;
