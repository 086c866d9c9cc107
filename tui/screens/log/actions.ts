import { NO_SEARCH } from '../../state/search-field.ts';
import { handleTopLayer, type Action } from '../../keys/action.ts';
import { openLog } from './layer.ts';
import { ALL_VIEWS } from '../../keys/context-groups.ts';
import { putLayer, closeLayer } from '../../state/layer-stack.ts';
import { movedPosition } from '../../keys/movement-target.ts';
import { logEntries, logIndex, logRows } from './entries.ts';
import { moveText, seekMatch } from '../text-pane.ts';
import type { KeyAction } from '../../state/keys.ts';
import type { LogLayer } from '../../state/layers/log.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';

/** Moves the cursor of the log, or scrolls the text of the opened entry. */
export function moveLog(store: ActionPorts, layer: LogLayer, action: KeyAction): void {
  if (layer.opened !== undefined) return void moveText(store, action);
  const entries = logEntries(store, layer);
  const last = entries.length - 1;
  const to = movedPosition(action, logIndex(entries, layer), { rows: logRows(store), last });
  if (to !== undefined) putLayer(store, { ...layer, at: entries[to]?.id });
}

/**
 * Moves to the next or previous match. All listed entries match the search, so this is the next or previous row. The
 * first entry follows the last.
 */
export function seekEntry(store: ActionPorts, layer: LogLayer, step: 1 | -1): void {
  if (layer.opened !== undefined) return seekMatch(store, step);
  if (layer.search.line.text === '') return store.say('no search yet: press / to start one');
  const entries = logEntries(store, layer);
  putLayer(store, { ...layer, at: entries.at((logIndex(entries, layer) + step) % entries.length)?.id });
}

/** Opens the search of the log. While an entry is opened, there is no search. */
export function openLogSearch(store: ActionPorts, layer: LogLayer): void {
  if (layer.opened === undefined) putLayer(store, { ...layer, search: { ...layer.search, isOpen: true } });
}

export function closeLog(store: ActionPorts, layer: LogLayer): void {
  if (layer.opened !== undefined) return putLayer(store, { ...layer, opened: undefined });
  if (layer.search.line.text !== '') return putLayer(store, { ...layer, search: NO_SEARCH });
  closeLayer(store);
}

/** Makes the cursor stay on the newest entry when further entries arrive. */
export function followLog(store: ActionPorts, layer: LogLayer): void {
  if (layer.opened === undefined) putLayer(store, { ...layer, at: undefined });
}

/** The actions in the log screen, and the action that opens the log. */
export const LOG_ACTIONS: readonly Action[] = [
  {
    name: 'log',
    keys: ['L'],
    in: [...ALL_VIEWS, 'detail', 'inspect', 'handling', 'dead-letter', 'plan-page'],
    help: 'show the messages of this console and the audit trail',
    run: (store) => openLog(store, 'messages'),
  },
  {
    name: 'log-open',
    keys: ['enter'],
    in: ['log'],
    help: 'show the full entry under the cursor',
    hint: 'details',
    run: handleTopLayer('log', openEntry),
  },
  {
    name: 'log-tab',
    keys: ['tab', 'shift-tab'],
    in: ['log'],
    help: 'switch between console messages and the audit trail',
    hint: 'switch list',
    run: handleTopLayer('log', (store, layer) => {
      if (layer.opened !== undefined) return;
      putLayer(store, { ...layer, tab: layer.tab === 'messages' ? 'audit' : 'messages', at: undefined });
    }),
  },
];

/**
 * Opens the entry under the cursor. If an entry is open already, returns to the list. The cursor stays on this entry
 * when newer entries arrive.
 */
function openEntry(store: ActionPorts, layer: LogLayer): void {
  if (layer.opened !== undefined) return putLayer(store, { ...layer, opened: undefined });
  const entries = logEntries(store, layer);
  if (entries.length > 0) putLayer(store, { ...layer, at: entries[logIndex(entries, layer)]?.id, opened: 0 });
}
