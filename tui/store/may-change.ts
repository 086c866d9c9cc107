import { KEYS, keyLabel, type KeyAction } from '../keys.ts';
import type { ConsoleStore } from './console-store.ts';
import { isConnected } from './feed-status.ts';

/** Whether a key that changes something has an effect now; if not, says why. */
export function mayChange(store: ConsoleStore, action: KeyAction): boolean {
  const name = keyLabel(KEYS[action].keys[0]);
  if (store.state.readOnly) {
    store.say(
      store.options.readOnly
        ? `${name} does nothing: this console was started with --read-only`
        : `${name} does nothing: the console is locked, ! unlocks it`,
      'problem',
    );
    return false;
  }
  if (!isConnected(store.feed)) {
    store.say(`${name} does nothing while disconnected; R reconnects now`, 'problem');
    return false;
  }
  return true;
}
