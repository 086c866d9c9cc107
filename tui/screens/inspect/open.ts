import { inspectLayer, type InspectSubject } from '../../state/layers/inspect.ts';
import type { Screen } from '../../state/ports.ts';
import { openLayer } from '../../state/layer-stack.ts';

/**
 * Opens the screen of a client, a check, an aggregate or a result. While the screen is on top, its data is loaded again
 * at an interval.
 */
export function openInspect(store: Screen, subject: InspectSubject): void {
  openLayer(store, inspectLayer(subject));
}
