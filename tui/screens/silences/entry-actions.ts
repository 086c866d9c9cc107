import type { KeyAction } from '../../actions/keys.ts';
import { pressFeedKey } from '../../actions/feed-keys.ts';
import { clamp } from '../../state/list-cursor.ts';
import { movedTo } from '../../actions/scroll-keys.ts';
import { askEndSilences, openSilenceEntries } from '../../actions/silences.ts';
import { silenceEntryLines } from './entry-lines.ts';
import type { ActionPorts } from '../../actions/action-ports.ts';
import type { Screen } from '../../state/ports.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import { closeLayer, putLayer } from '../../state/layer-stack.ts';

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

export function pressSilenceEntry(store: ActionPorts, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'silence-entry' || action === undefined) return;
  const rows = silenceEntryRows(store.state.size.rows);
  const last = Math.max(0, silenceEntryLines(store, layer).length - rows);
  const to = movedTo(action, Math.min(layer.top, last), { rows, last });
  if (to !== undefined) return putLayer(store, { ...layer, top: clamp(to, 0, last) });
  const current = store.silenced.get(layer.id);
  const ended = current === undefined ? store.silenceHistory.get(layer.id, store.options.now()) : undefined;
  switch (action) {
    case 'close':
      return closeLayer(store);
    case 'silence-change':
      return openSilenceEntries(store, { kind: 'change', entries: current === undefined ? [] : [current] });
    case 'silence-end':
      return askEndSilences(store, current === undefined ? [] : [current]);
    case 'silence-delete':
      return askEndSilences(store, current === undefined ? [] : [current], 'cancel');
    case 'silence-again':
      return openSilenceEntries(store, { kind: 'again', entries: ended === undefined ? [] : [ended.entry] });
    default:
      return pressFeedKey(store, action);
  }
}
