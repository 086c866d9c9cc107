import type { Layer } from './layers/layer.ts';
import type { Screen } from './ports.ts';

/** Puts a layer on top of what is shown. */
export function openLayer(store: Screen, layer: Layer): void {
  store.update({ layers: [...store.state.layers, layer] });
}

/** Puts another layer in place of the one on top. */
export function putLayer(store: Screen, layer: Layer): void {
  store.update({ layers: [...store.state.layers.slice(0, -1), layer] });
}

/** Takes the layer on top away. */
export function closeLayer(store: Screen): void {
  store.update({ layers: store.state.layers.slice(0, -1) });
}
