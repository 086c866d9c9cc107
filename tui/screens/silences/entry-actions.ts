import type { Screen } from '../../state/ports.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';

/** Everything about one silence, on a screen of its own. */
export function openSilenceEntry(store: Screen, id: string): void {
  openLoadedLayer(store, 'silence-entry', id);
}
