import type { LiveData, MergedSources } from '../model/live-data.ts';
import type { Shown, Opened } from '../state/ports.ts';
import type { KeyContext } from '../state/key-context.ts';
import { layerOnTop } from '../state/layer-stack.ts';
import type { Layer } from '../state/layers/layer.ts';
import type { ActionPorts } from './action-ports.ts';
import type { Binding, KeyAction, KeyPress } from '../state/keys.ts';

/** The circumstances of an action. */
export interface Pressed {
  readonly context: KeyContext;
  /** The pressed key; without a name if the action was not triggered by one. */
  readonly key: KeyPress;
  /** Performs another action in the current context. */
  readonly perform: (action: KeyAction) => void;
}

/** The ports that completions read names from. */
export type CompletionPorts = Shown & Opened & Pick<LiveData, 'clients'> & MergedSources;

export type ActionHandler = (store: ActionPorts, pressed: Pressed) => void;

/** The operand of an action on the command line. */
export interface Operand {
  /** The operands in the usage text. */
  readonly operands: string;
  readonly help: string;
  /**
   * Runs the action.
   *
   * @returns the problem with the operand and the allowed values; `undefined` on success
   */
  readonly run: (store: ActionPorts, operand: string, perform: Pressed['perform']) => string | undefined;
  /** Returns completions of the operand's last word; only those with the same start are shown. */
  readonly complete?: (store: CompletionPorts, operand: string) => readonly string[];
}

/** An action that a key, its name on the command line, the help or a menu can trigger. */
export interface Action extends Binding {
  readonly name: KeyAction;
  /** True if the action runs before the key handling of the context. */
  readonly first?: true;
  /** The implementation, or one for each context if they differ. */
  readonly run: ActionHandler | Readonly<Partial<Record<KeyContext, ActionHandler>>>;
  readonly operand?: Operand;
}

/** Returns the same value for each of these contexts. */
export function inEach<Context extends KeyContext, Value>(
  contexts: readonly Context[],
  value: Value,
): Readonly<Record<Context, Value>> {
  return Object.fromEntries(contexts.map((context) => [context, value])) as Record<Context, Value>;
}

/** Returns an action on the layer on top. */
export function onLayer<Kind extends Layer['kind']>(
  kind: Kind,
  run: (store: ActionPorts, layer: Extract<Layer, { kind: Kind }>, pressed: Pressed) => void,
): ActionHandler {
  return (store, pressed) => {
    const layer = layerOnTop(store, kind);
    if (layer !== undefined) run(store, layer, pressed);
  };
}
