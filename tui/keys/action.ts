import type { LiveData } from '../model/live-data.ts';
import type { ScreenView } from '../state/ports.ts';
import type { KeyContext } from '../state/key-context.ts';
import { layerOnTop } from '../state/layer-stack.ts';
import type { Layer } from '../state/layers/layer.ts';
import type { ActionPorts } from './action-ports.ts';
import type { Binding, KeyAction, KeyPress } from '../state/keys.ts';

/** How an action was triggered: the key context, the key, and a function to perform further actions. */
export interface ActionTrigger {
  readonly context: KeyContext;
  /** The pressed key. Its name is empty if no key triggered the action, for example if a menu did. */
  readonly key: KeyPress;
  /** Performs another action in the current key context. */
  readonly perform: (action: KeyAction) => void;
}

/** The interfaces of the store from which the completion of an operand reads names. */
export type CompletionPorts = ScreenView & LiveData;

export type ActionHandler = (store: ActionPorts, pressed: ActionTrigger) => void;

/** The text after the name of an action on the command line, and how the action runs with it. */
export interface Operand {
  /** The names of the operands, as the usage text shows them. */
  readonly operands: string;
  readonly help: string;
  /**
   * Runs the action with its operand.
   *
   * @returns a message about an invalid operand, with the allowed values; `undefined` on success
   */
  readonly run: (store: ActionPorts, operand: string, perform: ActionTrigger['perform']) => string | undefined;
  /**
   * Returns completions for the last word of the operand. The caller shows only those that start with the typed
   * letters.
   */
  readonly complete?: (store: CompletionPorts, operand: string) => readonly string[];
}

/** An action of the console. A key, its name on the command line, the help or a menu can trigger it. */
export interface Action extends Binding {
  readonly name: KeyAction;
  /** True if the action runs even if the context handles keys itself, and even while changes are not possible. */
  readonly runsFirst?: true;
  /** The implementation, or an implementation per context if the contexts differ. */
  readonly run: ActionHandler | Readonly<Partial<Record<KeyContext, ActionHandler>>>;
  readonly operand?: Operand;
}

/** Returns an object with the same value for each of these key contexts. */
export function repeatForContexts<Context extends KeyContext, Value>(
  contexts: readonly Context[],
  value: Value,
): Readonly<Record<Context, Value>> {
  return Object.fromEntries(contexts.map((context) => [context, value])) as Record<Context, Value>;
}

/**
 * Returns an action handler that receives the topmost layer (dialog or screen). It does nothing if that layer is of
 * another kind.
 */
export function handleTopLayer<Kind extends Layer['kind']>(
  kind: Kind,
  run: (store: ActionPorts, layer: Extract<Layer, { kind: Kind }>, pressed: ActionTrigger) => void,
): ActionHandler {
  return (store, pressed) => {
    const layer = layerOnTop(store, kind);
    if (layer !== undefined) run(store, layer, pressed);
  };
}
