/** The place of the pane with the event under the cursor: below or beside the list of events, or nowhere. */
export const PANE_PLACEMENTS = ['below', 'beside', 'off'] as const;
export type PanePlacement = (typeof PANE_PLACEMENTS)[number];

/** The state of the pane that shows the event under the cursor of the list of events. */
export interface PaneState {
  readonly placement: PanePlacement;
  /** True if the pane has the focus, so that the keys that move scroll its text. */
  readonly isFocused: boolean;
  /** The first visible line of the text, and the event that was scrolled; another event starts at its first line. */
  readonly scroll: { readonly key: string; readonly top: number } | undefined;
}

export const INITIAL_PANE: PaneState = { placement: 'below', isFocused: false, scroll: undefined };

/** Returns the state of a pane that was moved to another place, without focus and at the first line. */
export function placedPane(placement: PanePlacement): PaneState {
  return { ...INITIAL_PANE, placement };
}

/** Returns the index of the first line of the pane that the user scrolled to, for this event. */
export function paneTop({ scroll }: PaneState, key: string | undefined): number {
  return scroll !== undefined && scroll.key === key ? scroll.top : 0;
}
