import type { KeyAction } from '../keys.ts';
import type { ConfirmLayer } from './console-state.ts';
import type { ConsoleStore } from './console-store.ts';
import type { Effect } from './effects.ts';
import { editLine, type LineEdit } from './line-editor.ts';
import { mayChange } from './may-change.ts';
import { stillThere } from './targets.ts';

export function pressConfirm(store: ConsoleStore, action: KeyAction): void {
  const layer = confirmLayer(store);
  if (layer === undefined) return;
  switch (action) {
    case 'confirm-yes':
      return submit(store, layer);
    case 'confirm-no':
      return close(store);
    case 'confirm-press':
      return layer.focused === 'submit' ? submit(store, layer) : close(store);
    case 'confirm-choose':
      return put(store, { ...layer, focused: layer.focused === 'submit' ? 'cancel' : 'submit' });
    default:
      return undefined;
  }
}

/** The number of things, where it must be typed. */
export function typeInConfirm(store: ConsoleStore, edit: LineEdit | undefined): void {
  const layer = confirmLayer(store);
  if (layer?.typed === undefined || edit === undefined) return;
  put(store, { ...layer, typed: { ...layer.typed, line: editLine(layer.typed.line, edit) } });
}

function submit(store: ConsoleStore, { effect, typed }: ConfirmLayer): void {
  if (effect === undefined) return close(store);
  if (typed !== undefined && typed.line.text.trim() !== typed.wanted) {
    return store.say(`type ${typed.wanted} to do it, Esc leaves`, 'problem');
  }
  // The question may have been open for long: what was lost since then is not acted on.
  if (!mayChange(store, 'confirm-yes')) return;
  close(store);
  const wanted = stillWanted(store, effect);
  if (wanted === undefined) return store.say('nothing of it is left: it was over before you answered');
  store.request(wanted);
}

/** Without what was resolved or ended while the question was open; `undefined`: nothing is left. */
function stillWanted(store: ConsoleStore, effect: Effect): Effect | undefined {
  if (effect.kind === 'delete-events') {
    const targets = stillThere(store, effect.targets);
    return targets.length === 0 ? undefined : { ...effect, targets };
  }
  // What an undo is about is only known to the backend, and its operations say what must be there.
  if (effect.kind !== 'change' || effect.change.verb === 'undo') return effect;
  const operations = effect.change.operations.filter((operation) => {
    if (operation.op === 'resolve') return store.events.get(`${operation.client}/${operation.check}`) !== undefined;
    return operation.op !== 'clear' || store.silenced.has(operation.id);
  });
  return operations.length === 0 ? undefined : { ...effect, change: { ...effect.change, operations } };
}

function put(store: ConsoleStore, layer: ConfirmLayer): void {
  store.update({ layers: [...store.state.layers.slice(0, -1), layer] });
}

function close(store: ConsoleStore): void {
  store.update({ layers: store.state.layers.slice(0, -1) });
}

function confirmLayer(store: ConsoleStore): ConfirmLayer | undefined {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'confirm' ? layer : undefined;
}
