/** The settings of how the console draws attention to a new critical event. */
export interface Attention {
  readonly bell: boolean;
  /** True if the console also sends a desktop notification, provided that the terminal supports it. */
  readonly notify: boolean;
  /** Epoch milliseconds until which bell and notification are muted. */
  readonly mutedUntilMs: number;
}

export const ATTENTION: Attention = { bell: true, notify: false, mutedUntilMs: 0 };
