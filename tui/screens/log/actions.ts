import { NO_SEARCH } from '../../state/search-field.ts';
import { onLayer, type Action } from '../../keys/action.ts';
import { openLog } from './layer.ts';
import { VIEWS_PAUSED } from '../../keys/places.ts';
import { putLayer, closeLayer } from '../../state/layer-stack.ts';
import { movedTo } from '../../keys/moved-to.ts';
import { logEntries, logIndex, logRows } from './entries.ts';
import { moveText, seekMatch } from '../text-pane.ts';
import type { KeyAction } from '../../state/keys.ts';
import type { LogLayer } from '../../state/layers/log.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';

/** The cursor of the list, or the lines of the whole entry. */
export function moveLog(store: ActionPorts, layer: LogLayer, action: KeyAction): void {
  if (layer.opened !== undefined) return void moveText(store, action);
  const entries = logEntries(store, layer);
  const last = entries.length - 1;
  const to = movedTo(action, logIndex(entries, layer), { rows: logRows(store), last });
  if (to !== undefined) putLayer(store, { ...layer, at: entries[to]?.id });
}

/** All that is listed matches: the next one is the next row, and behind the last one the first. */
export function seekEntry(store: ActionPorts, layer: LogLayer, step: 1 | -1): void {
  if (layer.opened !== undefined) return seekMatch(store, step);
  if (layer.search.line.text === '') return store.say('no search: / starts one');
  const entries = logEntries(store, layer);
  putLayer(store, { ...layer, at: entries.at((logIndex(entries, layer) + step) % entries.length)?.id });
}

/** The search of the list is changed there, not in a whole entry. */
export function openLogSearch(store: ActionPorts, layer: LogLayer): void {
  if (layer.opened === undefined) putLayer(store, { ...layer, search: { ...layer.search, isOpen: true } });
}

export function closeLog(store: ActionPorts, layer: LogLayer): void {
  if (layer.opened !== undefined) return putLayer(store, { ...layer, opened: undefined });
  if (layer.search.line.text !== '') return putLayer(store, { ...layer, search: NO_SEARCH });
  closeLayer(store);
}

/** From here on the newest entry is the one under the cursor, whatever comes. */
export function followLog(store: ActionPorts, layer: LogLayer): void {
  if (layer.opened === undefined) putLayer(store, { ...layer, at: undefined });
}

/** What is done in the log, and what opens it. */
export const LOG_ACTIONS: readonly Action[] = [
  {
    name: 'log',
    keys: ['L'],
    in: [...VIEWS_PAUSED, 'detail', 'inspect', 'handling', 'dead-letter', 'plan-page'],
    help: 'messages of this console and the audit trail',
    run: (store) => openLog(store, 'messages'),
  },
  {
    name: 'log-open',
    keys: ['enter'],
    in: ['log'],
    help: 'show the full entry under the cursor',
    hint: 'details',
    run: onLayer('log', openEntry),
  },
  {
    name: 'log-tab',
    keys: ['tab', 'shift-tab'],
    in: ['log'],
    help: 'switch between console messages and the audit trail',
    hint: 'switch list',
    run: onLayer('log', (store, layer) => {
      if (layer.opened !== undefined) return;
      putLayer(store, { ...layer, tab: layer.tab === 'messages' ? 'audit' : 'messages', at: undefined });
    }),
  },
];

/** The whole entry, or the list again. From here on it is about this entry, whatever comes before it. */
function openEntry(store: ActionPorts, layer: LogLayer): void {
  if (layer.opened !== undefined) return putLayer(store, { ...layer, opened: undefined });
  const entries = logEntries(store, layer);
  if (entries.length > 0) putLayer(store, { ...layer, at: entries[logIndex(entries, layer)]?.id, opened: 0 });
}
