import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { HintsProps } from './footer.tsx';
import type { HeaderProps } from './header.tsx';
import { shownTrouble } from './cluster/trouble.ts';
import { isConnected } from '../model/feed-status.ts';
import { keyContext } from '../keys/key-context.ts';
import type { Theme } from '../text/theme.ts';
import type { ScreenView } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';

/** Returns the props of the header, which are the same on all screens. */
export function headerProps(theme: Theme, store: ScreenView & LiveData): HeaderProps {
  const { state, feed, events, options, nowMs } = store;
  return {
    theme,
    columns: state.size.columns,
    feed,
    counts: events.counts,
    paused: state.paused,
    past: state.past,
    travel: state.travel,
    readOnly: state.readOnly,
    context: options.contexts?.current,
    namespace: options.namespace === DEFAULT_NAMESPACE ? undefined : options.namespace,
    backend: options.backend,
    creator: options.creator,
    backends: store.backends,
    trouble: shownTrouble(store),
    nowMs,
    view: state.view,
  };
}

/** Returns the props of the key hints at the bottom of every screen. */
export function hintsProps(theme: Theme, { state, feed }: ScreenView & Pick<LiveData, 'feed'>): HintsProps {
  return {
    theme,
    context: keyContext(state),
    columns: state.size.columns,
    connected: isConnected(feed),
    paused: state.paused !== undefined,
    readOnly: state.readOnly || state.past !== undefined,
  };
}
