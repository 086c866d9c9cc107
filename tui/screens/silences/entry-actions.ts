import { silenceEntryLines } from './entry-lines.ts';
import type { SilenceEntryLayer } from '../../state/layers/loaded.ts';
import type { KeyAction } from '../../state/keys.ts';
import { clamp } from '../../state/list-cursor.ts';
import { movedTo } from '../../keys/moved-to.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';
import type { Screen } from '../../state/ports.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import { putLayer } from '../../state/layer-stack.ts';

/** Rows of the screen that are not the body: header, path, rule, and the two lines at the bottom. */
const ROWS_AROUND = 6;

/** Everything about one silence, on a screen of its own. */
export function openSilenceEntry(store: Screen, id: string): void {
  openLoadedLayer(store, 'silence-entry', id);
}

/** Rows for the body on a screen of this height. */
export function silenceEntryRows(rows: number): number {
  return Math.max(1, rows - ROWS_AROUND);
}

export function scrollSilenceEntry(store: ActionPorts, layer: SilenceEntryLayer, action: KeyAction): void {
  const rows = silenceEntryRows(store.state.size.rows);
  const last = Math.max(0, silenceEntryLines(store, layer).length - rows);
  const to = movedTo(action, Math.min(layer.top, last), { rows, last });
  if (to !== undefined) putLayer(store, { ...layer, top: clamp(to, 0, last) });
}
