/** The ways in which the console calls for attention. */
export interface Attention {
  readonly bell: boolean;
  /** True for a desktop notification, if the terminal supports it. */
  readonly notify: boolean;
  /** Epoch milliseconds until which bell and notification are muted. */
  readonly mutedUntilMs: number;
}

export const ATTENTION: Attention = { bell: true, notify: false, mutedUntilMs: 0 };
