import type { ConsoleStore } from '../../state/console-store.ts';
import { inspectLayer, type Subject } from './layer.ts';

/** Opens the screen of a client, a check, an aggregate or a result; it loads itself for as long as it is on top. */
export function openInspect(store: ConsoleStore, subject: Subject): void {
  store.update({ layers: [...store.state.layers, inspectLayer(subject)] });
}
