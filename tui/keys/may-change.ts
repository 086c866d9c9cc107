import { keyOf, type KeyAction } from '../state/keys.ts';
import { isConnected } from '../model/feed-status.ts';
import type { ScreenView, Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';

/** Returns whether the console can change something at the backend now. If not, shows a message with the reason. */
export function mayChange(store: Screen & Pick<LiveData, 'feed'>, action: KeyAction): boolean {
  const reason = whyNoChange(store);
  if (reason !== undefined) store.say(`${keyOf(action)} is disabled${reason}`, 'problem');
  return reason === undefined;
}

/** Returns the reason why the console cannot change anything now, as the end of a sentence; `undefined` if it can. */
export function whyNoChange({ state, options, feed }: ScreenView & Pick<LiveData, 'feed'>): string | undefined {
  if (state.past !== undefined) return ': this is the past, :now returns to live data';
  if (options.readOnly) return ': this console was started with --read-only';
  if (state.readOnly) return `: the console is locked, ${keyOf('lock')} unlocks it`;
  return isConnected(feed) ? undefined : ` while disconnected; ${keyOf('reconnect')} reconnects now`;
}
