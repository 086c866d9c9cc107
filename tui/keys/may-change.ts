import { keyOf, type KeyAction } from '../state/keys.ts';
import { isConnected } from '../model/feed-status.ts';
import type { Opened, MessageSink, Shown } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';

/** Returns whether changes are possible now; if not, says why. */
export function mayChange(store: Shown & MessageSink & Opened & Pick<LiveData, 'feed'>, action: KeyAction): boolean {
  const reason = whyNoChange(store);
  if (reason !== undefined) store.say(`${keyOf(action)} is disabled${reason}`, 'problem');
  return reason === undefined;
}

/** Returns why changes are not possible now, as the end of a sentence; `undefined` if they are. */
export function whyNoChange({ state, options, feed }: Shown & Opened & Pick<LiveData, 'feed'>): string | undefined {
  if (state.past !== undefined) return ': this is the past, :now returns to live data';
  if (options.readOnly) return ': this console was started with --read-only';
  if (state.readOnly) return `: the console is locked, ${keyOf('lock')} unlocks it`;
  return isConnected(feed) ? undefined : ` while disconnected; ${keyOf('reconnect')} reconnects now`;
}
