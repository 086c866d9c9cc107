import type { KeyAction } from '../keys.ts';
import type { ConsoleStore } from './console-store.ts';
import { pressFeedKey } from './feed-keys.ts';
import { clamp } from './list-cursor.ts';
import { logDetailLines } from './log-lines.ts';
import { logEntries, logIndex } from './log-entries.ts';
import type { LogLayer } from './log-layer.ts';
import { logBodyRows } from './screen-layout.ts';
import { movedTo } from './scroll-keys.ts';
import { NO_SEARCH } from './search-field.ts';

export function pressLog(store: ConsoleStore, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'log' || action === undefined) return;
  if (layer.opened === undefined) pressList(store, layer, action);
  else pressEntry(store, layer, layer.opened, action);
}

function pressList(store: ConsoleStore, layer: LogLayer, action: KeyAction): void {
  const entries = logEntries(store, layer);
  const last = entries.length - 1;
  const index = logIndex(entries, layer);
  const to = movedTo(action, index, { rows: logBodyRows(store.state.size.rows), last });
  if (to !== undefined) return put(store, { ...layer, at: entries[clamp(to, 0, last)]?.id });
  switch (action) {
    case 'log-tab':
      return put(store, { ...layer, tab: layer.tab === 'messages' ? 'audit' : 'messages', at: undefined });
    case 'log-open':
      // From here on it is about this entry, whatever comes before it.
      if (entries.length > 0) put(store, { ...layer, at: entries[index]?.id, opened: 0 });
      return;
    case 'search':
      return put(store, { ...layer, search: { ...layer.search, isOpen: true } });
    case 'close':
      if (layer.search.line.text !== '') return put(store, { ...layer, search: NO_SEARCH });
      return store.update({ layers: store.state.layers.slice(0, -1) });
    default:
      return pressFeedKey(store, action);
  }
}

function pressEntry(store: ConsoleStore, layer: LogLayer, top: number, action: KeyAction): void {
  const rows = logBodyRows(store.state.size.rows);
  const last = Math.max(0, logDetailLines(store, layer).length - rows);
  const to = movedTo(action, Math.min(top, last), { rows, last });
  if (to !== undefined) return put(store, { ...layer, opened: clamp(to, 0, last) });
  if (action === 'close' || action === 'log-open') return put(store, { ...layer, opened: undefined });
  if (action !== 'log-tab' && action !== 'search') pressFeedKey(store, action);
}

function put(store: ConsoleStore, layer: LogLayer): void {
  store.update({ layers: [...store.state.layers.slice(0, -1), layer] });
}
