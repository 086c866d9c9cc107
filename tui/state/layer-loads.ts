import { isSameSubject, type InspectLayer, type InspectSubject } from './layers/inspect.ts';
import { NOT_LOADED, type ViewLoad } from '../model/view-data.ts';
import type { Screen } from './ports.ts';
import type { LayerData, LoadedLayer, LoadedLayerKind } from './layers/loaded.ts';
import { NO_SEARCH } from './search-field.ts';
import { openLayer } from './layer-stack.ts';

/** The load state of a screen over the view, whatever kind of data it loads. */
type AnyLoad = ViewLoad<LayerData[LoadedLayerKind]>;

/** Updates the load state of a client, check, aggregate or result in every open screen that shows it. */
export function updateSubject(
  store: Screen,
  subject: InspectSubject,
  next: (load: InspectLayer['load']) => InspectLayer['load'],
): void {
  const layers = store.state.layers.map((layer) =>
    layer.kind === 'inspect' && isSameSubject(layer.subject, subject) ? { ...layer, load: next(layer.load) } : layer,
  );
  store.update({ layers });
}

/** Updates the load state in every open screen of this kind that shows the object with this id. */
export function updateLoaded(store: Screen, kind: LoadedLayerKind, id: string, next: (load: AnyLoad) => AnyLoad): void {
  const layers = store.state.layers.map((layer) =>
    // The cast is safe, because data of a kind is only stored in layers of that kind.
    layer.kind === kind && layer.id === id ? ({ ...layer, load: next(layer.load) } as LoadedLayer) : layer,
  );
  store.update({ layers });
}

/** Opens a screen that loads its data from the backend; the data is requested with the next frame. */
export function openLoadedLayer(store: Screen, kind: LoadedLayerKind, id: string): void {
  const layer: LoadedLayer = { kind, id, load: NOT_LOADED, top: 0, search: NO_SEARCH };
  openLayer(store, layer);
}
