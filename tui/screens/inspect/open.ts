import { inspectLayer, type Subject } from '../../state/layers/inspect.ts';
import type { Screen } from '../../state/ports.ts';
import { openLayer } from '../../state/layer-stack.ts';

/**
 * Opens the screen of a client, a check, an aggregate or a result. The screen reloads itself while it is on
 * top.
 */
export function openInspect(store: Screen, subject: Subject): void {
  openLayer(store, inspectLayer(subject));
}
