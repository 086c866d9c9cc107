import { movedPosition } from '../../keys/movement-target.ts';
import type { LiveData } from '../../model/live-data.ts';
import { TALL_ROWS } from '../../state/console-state.ts';
import { keyOf, type KeyAction } from '../../state/keys.ts';
import { PANE_PLACEMENTS, paneTop, placedPane, type PanePlacement } from '../../state/pane.ts';
import type { Screen } from '../../state/ports.ts';
import { shownPane, SPLIT_COLUMNS } from '../../state/screen-layout.ts';
import type { ListOfView } from '../../list/list-of-view.ts';
import { paneText } from './pane.tsx';

/** Shows the pane at the next place: below the list, beside it, or nowhere. The first place follows the last. */
export function showPaneAtNextPosition(store: Screen): void {
  const { pane, size } = store.state;
  const next = PANE_PLACEMENTS.filter((placement) => placement !== 'beside' || size.columns >= SPLIT_COLUMNS);
  showPaneAt(store, next[(next.indexOf(pane.placement) + 1) % next.length] ?? 'below');
}

/** Moves the pane to another place. If the screen has no space for it there, a message says so. */
export function showPaneAt(store: Screen, placement: PanePlacement): void {
  store.update({ pane: placedPane(placement) });
  if (placement === 'off' || shownPane(store.state) === placement) return;
  const needed = placement === 'beside' ? `${String(SPLIT_COLUMNS)} columns` : `${String(TALL_ROWS)} rows`;
  store.say(`pane ${placement} the list: the terminal needs at least ${needed}`);
}

/** Moves the focus from the list to the pane or back. Without a pane, a message says how to show one. */
export function togglePaneFocus(store: Screen): void {
  if (shownPane(store.state) === 'off') return store.say(`there is no pane: ${keyOf('pane')} shows it`);
  focusPane(store, !store.state.pane.isFocused);
}

export function focusPane(store: Screen, isFocused: boolean): void {
  const { pane } = store.state;
  if (pane.isFocused !== isFocused) store.update({ pane: { ...pane, isFocused } });
}

/** Scrolls the text of the pane. */
export function movePane(store: Screen & LiveData & ListOfView, action: KeyAction): void {
  const { lines, height, key } = paneText(store);
  if (key === undefined) return;
  const last = Math.max(0, lines.length - height);
  const top = movedPosition(action, Math.min(paneTop(store.state.pane, key), last), { rows: height, last });
  if (top !== undefined) store.update({ pane: { ...store.state.pane, scroll: { key, top } } });
}
