import type { Layer } from './layers/layer.ts';
import type { Screen, Shown } from './ports.ts';

type LayerOf<Kind extends Layer['kind']> = Extract<Layer, { readonly kind: Kind }>;

/** The layer on top where it is of this kind. */
export function layerOnTop<Kind extends Layer['kind']>({ state }: Shown, kind: Kind): LayerOf<Kind> | undefined {
  const layer = state.layers.at(-1);
  return layer?.kind === kind ? (layer as LayerOf<Kind>) : undefined;
}

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
