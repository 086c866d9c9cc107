import type { Known, Places } from '../model/known.ts';
import type { Shown, Opened } from '../state/ports.ts';
import type { KeyContext } from '../state/key-context.ts';
import { layerOnTop } from '../state/layer-stack.ts';
import type { Layer } from '../state/layers/layer.ts';
import type { ActionPorts } from './action-ports.ts';
import type { Binding, KeyAction, KeyPress } from '../state/keys.ts';

/** How an action was asked for. */
export interface Pressed {
  readonly context: KeyContext;
  /** Without a name where it was no key. */
  readonly key: KeyPress;
  /** Typed before it. */
  readonly count: number | undefined;
  /** Does what another action does where it is asked for. */
  readonly perform: (action: KeyAction) => void;
}

/** What is known of names where a word is completed. */
export type CompletionPorts = Shown & Opened & Pick<Known, 'clients'> & Places;

export type Run = (store: ActionPorts, pressed: Pressed) => void;

/** What may stand behind the name of an action on the command line. */
export interface Operand {
  /** For people. */
  readonly operands: string;
  readonly help: string;
  /** @returns what is wrong with the operand, and what is allowed */
  readonly run: (store: ActionPorts, operand: string, perform: Pressed['perform']) => string | undefined;
  /** Words that may stand where its last word is; only those that begin like it are shown. */
  readonly complete?: (store: CompletionPorts, operand: string) => readonly string[];
}

/** Something that can be done: by a key, by its name on the command line, from the help and from menus. */
export interface Action extends Binding {
  readonly name: KeyAction;
  /** Before anything that a place does with its keys. */
  readonly first?: true;
  /** What it does, for each place where that differs. */
  readonly run: Run | Readonly<Partial<Record<KeyContext, Run>>>;
  readonly operand?: Operand;
}

/** The same in each of these places. */
export function inEach<Place extends KeyContext, Value>(
  places: readonly Place[],
  value: Value,
): Readonly<Record<Place, Value>> {
  return Object.fromEntries(places.map((place) => [place, value])) as Record<Place, Value>;
}

/** Something done with the layer on top. */
export function onLayer<Kind extends Layer['kind']>(
  kind: Kind,
  run: (store: ActionPorts, layer: Extract<Layer, { kind: Kind }>, pressed: Pressed) => void,
): Run {
  return (store, pressed) => {
    const layer = layerOnTop(store, kind);
    if (layer !== undefined) run(store, layer, pressed);
  };
}
