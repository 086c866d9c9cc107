import type { KeyAction } from '../keys.ts';
import type { ConsoleStore } from './console-store.ts';
import { askDropLetters, askRetryLetters, explainLetter, openLetterEvent } from './dead-letter-actions.ts';
import { deadLetterLines } from './dead-letter-lines.ts';
import { pressFeedKey } from './feed-keys.ts';
import { handlingLines } from './handling-lines.ts';
import { clamp } from './list-cursor.ts';
import { putLayer, type DeadLetterLayer, type HandlingLayer } from './loaded-layer.ts';
import { loadedBodyRows } from './screen-layout.ts';
import { movedTo } from './scroll-keys.ts';

export function pressHandling(store: ConsoleStore, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'handling' || action === undefined) return;
  if (scroll(store, layer, handlingLines(store, layer).length, action)) return;
  if (action === 'close') return close(store);
  pressFeedKey(store, action);
}

export function pressDeadLetter(store: ConsoleStore, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'dead-letter' || action === undefined) return;
  if (scroll(store, layer, deadLetterLines(store, layer).length, action)) return;
  const { data } = layer.load;
  const letters = data === undefined ? [] : [data];
  switch (action) {
    case 'close':
      return close(store);
    case 'dead-letter-retry':
      return askRetryLetters(store, letters);
    case 'dead-letter-drop':
      return askDropLetters(store, letters);
    case 'dead-letter-event':
      return data === undefined ? undefined : openLetterEvent(store, data);
    case 'why':
      return explainLetter(store, letters);
    default:
      return pressFeedKey(store, action);
  }
}

/** `false`: the action is no movement. */
function scroll(
  store: ConsoleStore,
  layer: DeadLetterLayer | HandlingLayer,
  lines: number,
  action: KeyAction,
): boolean {
  const rows = loadedBodyRows(store.state.size.rows);
  const last = Math.max(0, lines - rows);
  const to = movedTo(action, Math.min(layer.top, last), { rows, last });
  if (to !== undefined) putLayer(store, { ...layer, top: clamp(to, 0, last) });
  return to !== undefined;
}

function close(store: ConsoleStore): void {
  store.update({ layers: store.state.layers.slice(0, -1) });
}
