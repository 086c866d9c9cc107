import { keyOf, type KeyAction } from './keys.ts';
import { toggleMute } from '../state/bell.ts';
import { openCopyMenu } from './copy-menu.ts';
import { openHelp } from '../screens/help/layer.ts';
import { openLog } from '../screens/log/layer.ts';
import { askRunbook } from './runbook.ts';
import { askUndo } from './undo-keys.ts';
import type { Screen, Says, Opened } from '../state/ports.ts';
import type { ActionPorts } from './action-ports.ts';

/** The keys that mean the same in the list and in the detail screen. */
export function pressFeedKey(store: ActionPorts, action: KeyAction): void {
  switch (action) {
    case 'pause':
      return store.state.paused === undefined ? store.pause() : store.resume();
    case 'reconnect':
      return store.request({ kind: 'reconnect' });
    case 'resync':
      store.request({ kind: 'resync' });
      return store.say('loading everything from the backend again');
    case 'copy':
      return copy(store);
    case 'runbook':
      return askRunbook(store);
    case 'mute':
      return toggleMute(store);
    case 'undo':
      return askUndo(store);
    case 'lock':
      return toggleLock(store);
    case 'help':
      return openHelp(store);
    case 'log':
      return openLog(store, 'messages');
    default:
      return undefined;
  }
}

/** The commands that are copied name a backend and a namespace. */
function copy(store: ActionPorts): void {
  const { whereColumn } = store;
  if (whereColumn === undefined) return openCopyMenu(store);
  store.say(`copies are made of one ${whereColumn}: :${whereColumn === 'backend' ? 'ctx' : 'ns'} NAME shows it`);
}

function toggleLock(store: Screen & Says & Opened): void {
  if (store.options.readOnly) return store.say('started with --read-only: the lock cannot be opened', 'problem');
  const readOnly = !store.state.readOnly;
  store.update({ readOnly });
  store.say(readOnly ? `locked: keys that change something do nothing, ${keyOf('lock')} unlocks` : 'unlocked');
}
