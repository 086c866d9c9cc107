import type { KeyAction } from './keys.ts';
import { askDropLetters, askRetryLetters, explainLetter, openLetterEvent } from './dead-letters.ts';
import { pressFeedKey } from './feed-keys.ts';
import { pressText } from '../screens/text-pane.ts';
import type { ActionPorts } from './action-ports.ts';
import { closeLayer } from '../state/layer-stack.ts';

export function pressHandling(store: ActionPorts, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'handling' || action === undefined) return;
  if (pressText(store, action)) return;
  if (action === 'close') return closeLayer(store);
  pressFeedKey(store, action);
}

export function pressDeadLetter(store: ActionPorts, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'dead-letter' || action === undefined) return;
  if (pressText(store, action)) return;
  const { data } = layer.load;
  const letters = data === undefined ? [] : [data];
  switch (action) {
    case 'close':
      return closeLayer(store);
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
