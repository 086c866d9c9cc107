import type { KeyAction } from '../../actions/keys.ts';
import { pressFeedKey } from '../../actions/feed-keys.ts';
import { clamp } from '../../state/list-cursor.ts';
import { logEntries, logIndex, type LogEntry } from './entries.ts';
import { logBodyRows } from '../../state/screen-layout.ts';
import { movedTo } from '../../actions/scroll-keys.ts';
import { NO_SEARCH } from '../../state/search-field.ts';
import { pressText } from '../text-pane.ts';
import type { Screen, Says } from '../../state/ports.ts';
import type { ActionPorts } from '../../actions/action-ports.ts';
import type { LogLayer } from '../../state/layers/log.ts';
import { closeLayer, putLayer } from '../../state/layer-stack.ts';

export function pressLog(store: ActionPorts, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'log' || action === undefined) return;
  if (layer.opened === undefined) pressList(store, layer, action);
  else pressEntry(store, layer, action);
}

function pressList(store: ActionPorts, layer: LogLayer, action: KeyAction): void {
  const entries = logEntries(store, layer);
  const last = entries.length - 1;
  const index = logIndex(entries, layer);
  const to = movedTo(action, index, { rows: logBodyRows(store.state.size.rows), last });
  if (to !== undefined) return putLayer(store, { ...layer, at: entries[clamp(to, 0, last)]?.id });
  switch (action) {
    case 'log-tab':
      return putLayer(store, { ...layer, tab: layer.tab === 'messages' ? 'audit' : 'messages', at: undefined });
    case 'log-open':
      // From here on it is about this entry, whatever comes before it.
      if (entries.length > 0) putLayer(store, { ...layer, at: entries[index]?.id, opened: 0 });
      return;
    case 'search':
      return putLayer(store, { ...layer, search: { ...layer.search, isOpen: true } });
    case 'match-next':
    case 'match-previous':
      return seek(store, layer, entries, index, action === 'match-next' ? 1 : -1);
    case 'follow':
      // From here on the newest entry is the one under the cursor, whatever comes.
      return putLayer(store, { ...layer, at: undefined });
    case 'close':
      if (layer.search.line.text !== '') return putLayer(store, { ...layer, search: NO_SEARCH });
      return closeLayer(store);
    default:
      return pressFeedKey(store, action);
  }
}

/** All that is listed matches: the next one is the next row, and behind the last one the first. */
function seek(store: Screen & Says, layer: LogLayer, entries: readonly LogEntry[], index: number, step: 1 | -1): void {
  if (layer.search.line.text === '') return store.say('nothing is searched for: / searches');
  putLayer(store, { ...layer, at: entries.at((index + step) % entries.length)?.id });
}

function pressEntry(store: ActionPorts, layer: LogLayer, action: KeyAction): void {
  // The search is that of the list: it is changed there.
  if (action !== 'search' && action !== 'close' && pressText(store, action)) return;
  if (action === 'close' || action === 'log-open') return putLayer(store, { ...layer, opened: undefined });
  if (action !== 'log-tab' && action !== 'search') pressFeedKey(store, action);
}
