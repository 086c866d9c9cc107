import { NO_SEARCH } from '../../state/search-field.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { Target } from '../../model/target.ts';
import type { Screen } from '../../state/ports.ts';
import type { DetailLayer } from '../../state/layers/detail.ts';
import { openLayer, putLayer } from '../../state/layer-stack.ts';

export function openDetail(store: Screen & Pick<LiveData, 'events'>, target: Target, raw: boolean): void {
  const { peek } = store.state;
  // If the pane has already loaded the event, it is shown at once. The screen still requests the newest state.
  const loaded = peek?.target.key === target.key && peek.load.kind === 'loaded' ? peek.load : undefined;
  const layer: DetailLayer = {
    kind: 'detail',
    target,
    load: loaded === undefined ? { kind: 'loading' } : { ...loaded, reloading: true },
    row: store.events.get(target.key)?.row ?? loaded?.row,
    resolvedAtMs: undefined,
    top: 0,
    raw,
    wrap: true,
    search: NO_SEARCH,
  };
  openLayer(store, layer);
  store.request({ kind: 'load-event', target, into: 'detail' });
}

export function reloadDetail(store: Screen, layer: DetailLayer): void {
  if (layer.load.kind === 'loaded') putLayer(store, { ...layer, load: { ...layer.load, reloading: true } });
  store.request({ kind: 'load-event', target: layer.target, into: 'detail' });
}
