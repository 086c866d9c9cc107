import type { KeyAction } from '../keys.ts';
import type { ConfirmLayer } from './console-state.ts';
import type { ConsoleStore } from './console-store.ts';
import { stillThere } from './event-actions.ts';
import { mayChange } from './may-change.ts';

export function pressConfirm(store: ConsoleStore, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'confirm') return;
  switch (action) {
    case 'confirm-yes':
      return submit(store, layer);
    case 'confirm-no':
      return close(store);
    case 'confirm-press':
      return layer.focused === 'submit' ? submit(store, layer) : close(store);
    case 'confirm-choose': {
      const focused = layer.focused === 'submit' ? 'cancel' : 'submit';
      return store.update({ layers: [...store.state.layers.slice(0, -1), { ...layer, focused }] });
    }
    default:
      return undefined;
  }
}

function submit(store: ConsoleStore, { effect }: ConfirmLayer): void {
  if (effect === undefined) return close(store);
  // The question may have been open for long: what was lost since then is not acted on.
  if (!mayChange(store, effect.kind === 'resolve' ? 'resolve' : 'unsilence')) return;
  close(store);
  if (effect.kind !== 'resolve') return store.request(effect);
  const targets = stillThere(store, effect.targets);
  if (targets.length === 0) return store.say('all of them resolved meanwhile');
  store.request({ kind: 'resolve', targets });
}

function close(store: ConsoleStore): void {
  store.update({ layers: store.state.layers.slice(0, -1) });
}
