/** How the console calls for attention. */
export interface Attention {
  readonly bell: boolean;
  /** A notification of the desktop, where the terminal can. */
  readonly notify: boolean;
  /** Epoch milliseconds; until then it is silent. */
  readonly mutedUntilMs: number;
}

export const ATTENTION: Attention = { bell: true, notify: false, mutedUntilMs: 0 };
