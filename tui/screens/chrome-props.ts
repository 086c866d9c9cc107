import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { HintsProps, HintsState } from './footer.tsx';
import type { HeaderProps } from './header.tsx';
import { shownTrouble } from './cluster/trouble.ts';
import { onCallHeaderText } from '../words/on-call-text.ts';
import { isConnected } from '../model/feed-status.ts';
import { keyContext } from '../keys/key-context.ts';
import type { Theme } from '../text/theme.ts';
import type { SavedTab } from './tabs.ts';
import { focusedControl } from '../form/form.ts';
import { SILENCE_FIELDS } from './silences/form.ts';
import { quickViews } from '../state/saved-view.ts';
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
    onCall: onCallHeaderText(store.loads.loadOf('on-call').data ?? [], nowMs),
    nowMs,
    view: state.view,
    savedTabs: savedTabs(store),
  };
}

/** Returns the tabs of the saved views that have a key. */
export function savedTabs({ state, savedCounts }: ScreenView & Pick<LiveData, 'savedCounts'>): readonly SavedTab[] {
  const { view, views, savedViews } = state;
  return quickViews(savedViews).map(({ key, name, saved }) => ({
    key,
    name,
    count: savedCounts.of(name),
    isShown: saved.view === view && saved.filter !== '' && saved.filter === views[view].filter.text,
  }));
}

/** Returns the props of the key hints at the bottom of every screen. */
export function hintsProps(theme: Theme, store: ScreenView & Pick<LiveData, 'feed' | 'folds'>): HintsProps {
  return { theme, ...hintsState(store) };
}

/** Returns the state that decides which key hints are shown. */
export function hintsState({ state, feed, folds }: ScreenView & Pick<LiveData, 'feed' | 'folds'>): HintsState {
  const layer = state.layers.at(-1);
  const cursor = state.view === 'events' && layer === undefined ? state.views.events.cursor.key : undefined;
  const fold = cursor === undefined ? undefined : folds.fold(cursor);
  return {
    context: keyContext(state),
    columns: state.size.columns,
    connected: isConnected(feed),
    paused: state.paused !== undefined,
    readOnly: state.readOnly || state.past !== undefined,
    control: layer?.kind === 'silence' ? focusedControl(SILENCE_FIELDS, layer.form) : undefined,
    hasNoYes: layer?.kind === 'confirm' && (layer.typed !== undefined || layer.effect === undefined),
    fold: fold && (folds.isUnfolded(fold) ? 'unfolded' : 'folded'),
  };
}
