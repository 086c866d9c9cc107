import type { Layer } from './layers/layer.ts';
import type { Screen, HasScreenState } from './ports.ts';

type LayerOf<Kind extends Layer['kind']> = Extract<Layer, { readonly kind: Kind }>;

/** Returns the layer on top if it is of this kind; otherwise `undefined`. */
export function layerOnTop<Kind extends Layer['kind']>(
  { state }: HasScreenState,
  kind: Kind,
): LayerOf<Kind> | undefined {
  const layer = state.layers.at(-1);
  return layer?.kind === kind ? (layer as LayerOf<Kind>) : undefined;
}

/** Opens a layer on top of the others. */
export function openLayer(store: Screen, layer: Layer): void {
  store.update({ layers: [...store.state.layers, layer] });
}

/** Replaces the layer on top. */
export function putLayer(store: Screen, layer: Layer): void {
  store.update({ layers: [...store.state.layers.slice(0, -1), layer] });
}

/** Closes the layer on top. */
export function closeLayer(store: Screen): void {
  store.update({ layers: store.state.layers.slice(0, -1) });
}
