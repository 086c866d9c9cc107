import { editLine, type LineEdit } from '../text/line-editor.ts';
import type { ChangeVerb } from '../words/changes.ts';
import { handleTopLayer, type Action } from '../keys/action.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import type { Effect } from '../state/effects.ts';
import { mayChange } from '../keys/may-change.ts';
import { existingTargets } from '../keys/targets.ts';
import type { Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import type { ConfirmLayer } from '../state/layers/confirm.ts';
import { closeLayer, layerOnTop, putLayer } from '../state/layer-stack.ts';

/** The actions in a dialog that asks a question. */
export const CONFIRM_ACTIONS: readonly Action[] = [
  {
    name: 'confirm-yes',
    keys: ['y', 'ctrl-s'],
    in: ['confirm'],
    help: 'confirm',
    hint: 'yes',
    run: handleTopLayer('confirm', (store, layer) => {
      store.update({ submittedAtMs: store.options.now() });
      submitConfirmation(store, layer);
    }),
  },
  { name: 'confirm-no', keys: ['escape', 'n', 'q'], in: ['confirm'], help: 'cancel', hint: 'no', run: closeLayer },
  {
    name: 'confirm-press',
    keys: ['enter', 'space'],
    in: ['confirm'],
    help: 'press the selected button',
    hint: 'press',
    run: handleTopLayer('confirm', (store, layer) =>
      layer.focused === 'submit' ? submitConfirmation(store, layer) : closeLayer(store),
    ),
  },
  {
    name: 'confirm-choose',
    keys: ['tab', 'shift-tab', 'left', 'right'],
    in: ['confirm'],
    help: 'go to the other button',
    hint: 'choose',
    run: handleTopLayer('confirm', (store, layer) =>
      putLayer(store, { ...layer, focused: layer.focused === 'submit' ? 'cancel' : 'submit' }),
    ),
  },
];

/** Edits the number that the user must type to confirm. */
export function typeInConfirm(store: Screen, edit: LineEdit | undefined): void {
  const layer = layerOnTop(store, 'confirm');
  if (layer?.typed === undefined || edit === undefined) return;
  putLayer(store, { ...layer, typed: { ...layer.typed, line: editLine(layer.typed.line, edit) } });
}

function submitConfirmation(store: ActionPorts, { effect, typed }: ConfirmLayer): void {
  if (effect === undefined) return closeLayer(store);
  if (typed !== undefined && typed.line.text.trim() !== typed.expected) {
    return store.say(`type ${typed.expected} to confirm, Esc cancels`, 'problem');
  }
  // While the dialog was open, changes may have become impossible, and objects may have disappeared.
  if (effect.kind !== 'quit' && !mayChange(store, 'confirm-yes')) return;
  closeLayer(store);
  const remaining = withoutGoneTargets(store, effect);
  if (remaining === undefined) return store.say('nothing to do: the target no longer exists');
  // The marks are removed, because the marked rows have been handled. On another screen, or for an undo, the marks
  // belong to other rows and stay.
  if (store.state.layers.length === 0 && !isUndo(effect)) store.updateList({ marks: new Set(), lastMark: undefined });
  store.request(remaining);
}

/**
 * Returns the effect without events that resolved and silences that ended while the dialog was open; `undefined` if no
 * object remains.
 */
function withoutGoneTargets(store: Pick<LiveData, 'events' | 'silenced'>, effect: Effect): Effect | undefined {
  if (effect.kind === 'delete-events') {
    const targets = existingTargets(store, effect.targets);
    return targets.length === 0 ? undefined : { ...effect, targets };
  }
  // An undo is sent unchanged: only the backend knows which objects it affects, and its operations contain their
  // preconditions.
  if (effect.kind !== 'change' || isUndo(effect)) return effect;
  const operations = effect.change.operations.filter((operation) => {
    if (operation.op === 'clear') return store.silenced.has(operation.id);
    const key = eventKeyOf(operation, effect.change.verb);
    return key === undefined || store.events.get(key) !== undefined;
  });
  return operations.length === 0 ? undefined : { ...effect, change: { ...effect.change, operations } };
}

function isUndo(effect: Effect): boolean {
  return effect.kind === 'change' && effect.change.verb === 'undo';
}

/**
 * Returns the key of the event that an operation affects; `undefined` if the operation can affect several events or
 * none.
 */
function eventKeyOf(operation: BulkOperation, verb: ChangeVerb): string | undefined {
  if (operation.op === 'resolve' || operation.op === 'acknowledge' || operation.op === 'unacknowledge') {
    return eventKey(operation.client, operation.check);
  }
  // Other silences, such as those created in the list of silences, can cover several events, also future ones.
  if (operation.op !== 'silence' || verb !== 'repeat-silence') return undefined;
  const { subscription, check } = operation;
  if (typeof check !== 'string' || subscription?.startsWith('client:') !== true) return undefined;
  return eventKey(subscription.slice('client:'.length), check);
}
