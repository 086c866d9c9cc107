/** The settings for the bell and the desktop notification that announce a new critical event. */
export interface Attention {
  readonly bell: boolean;
  /** True if the console also sends a desktop notification, provided that the terminal supports it. */
  readonly notify: boolean;
  /** Time until which bell and desktop notification are muted, in epoch milliseconds. */
  readonly mutedUntilMs: number;
}

export const DEFAULT_ATTENTION: Attention = { bell: true, notify: false, mutedUntilMs: 0 };
