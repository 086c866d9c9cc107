import type { KeyAction } from '../../actions/keys.ts';
import { acknowledge, askDelete, askResolve, askUnsilence, openSilence } from '../../actions/events.ts';
import { pressFeedKey } from '../../actions/feed-keys.ts';
import { askRepeatSilence } from '../../actions/silences.ts';
import { askRun, runsOn } from '../../actions/run-now.ts';
import { NO_SEARCH } from '../../state/search-field.ts';
import { pressText } from '../text-pane.ts';
import type { Target } from '../../model/target.ts';
import type { Screen, Asks } from '../../state/ports.ts';
import type { ActionPorts } from '../../actions/action-ports.ts';
import type { DetailLayer } from '../../state/layers/detail.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import { closeLayer, openLayer, putLayer } from '../../state/layer-stack.ts';

export function openDetail(store: Screen & Asks, target: Target, raw: boolean): void {
  const { peek } = store.state;
  // The pane may have it already; the newest is asked for all the same.
  const known = peek?.target.key === target.key && peek.load.kind === 'loaded' ? peek.load : undefined;
  const layer: DetailLayer = {
    kind: 'detail',
    target,
    load: known === undefined ? { kind: 'loading' } : { ...known, reloading: true },
    top: 0,
    raw,
    wrap: true,
    search: NO_SEARCH,
  };
  openLayer(store, layer);
  store.request({ kind: 'load-event', target, into: 'detail' });
}

export function pressDetail(store: ActionPorts, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'detail' || action === undefined) return;
  if (pressText(store, action)) return;
  switch (action) {
    case 'close':
      return closeLayer(store);
    case 'run':
      return askRun(store, runsOn([layer.target]));
    case 'reload':
      if (layer.load.kind === 'loaded') putLayer(store, { ...layer, load: { ...layer.load, reloading: true } });
      return store.request({ kind: 'load-event', target: layer.target, into: 'detail' });
    case 'why':
      return openLoadedLayer(store, 'handling', layer.target.key);
    case 'json':
      return putLayer(store, { ...layer, raw: !layer.raw, top: 0 });
    case 'wrap':
      return putLayer(store, { ...layer, wrap: !layer.wrap });
    case 'silence':
      return openSilence(store, [layer.target]);
    case 'unsilence':
      return askUnsilence(store, [layer.target]);
    case 'resolve':
      return askResolve(store, [layer.target]);
    case 'acknowledge':
      return acknowledge(store, [layer.target]);
    case 'repeat-silence':
      return askRepeatSilence(store, [layer.target]);
    case 'delete':
      return askDelete(store, [layer.target]);
    default:
      return pressFeedKey(store, action);
  }
}
