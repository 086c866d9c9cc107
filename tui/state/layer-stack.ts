import type { Layer } from './layers/layer.ts';
import type { Screen, ScreenView } from './ports.ts';
import { addVisited } from './visited.ts';

type LayerOf<Kind extends Layer['kind']> = Extract<Layer, { readonly kind: Kind }>;

/** Returns the topmost layer (dialog or screen) if it is of this kind; otherwise `undefined`. */
export function layerOnTop<Kind extends Layer['kind']>({ state }: ScreenView, kind: Kind): LayerOf<Kind> | undefined {
  const layer = state.layers.at(-1);
  return layer?.kind === kind ? (layer as LayerOf<Kind>) : undefined;
}

/** Opens a layer (a dialog or screen) on top of the others. */
export function openLayer(store: Screen, layer: Layer): void {
  const { layers, visited } = store.state;
  store.update({ layers: [...layers, layer], visited: addVisited(visited, layer) });
}

/** Replaces the topmost layer (dialog or screen). */
export function putLayer(store: Screen, layer: Layer): void {
  store.update({ layers: [...store.state.layers.slice(0, -1), layer] });
}

/** Closes the topmost layer (dialog or screen). */
export function closeLayer(store: Screen): void {
  store.update({ layers: store.state.layers.slice(0, -1) });
}
