import type { ConsoleState } from '../state/console-state.ts';
import { searchOf } from '../state/layers/layer.ts';
import type { KeyContext } from '../state/key-context.ts';

type KeyContextState = Pick<ConsoleState, 'view' | 'layers' | 'prompt' | 'upgrade'>;

/** Returns the context in which a key is looked up: the topmost dialog or screen over the view, otherwise the view. */
export function keyContext({ view, layers, prompt, upgrade }: KeyContextState): KeyContext {
  const layer = layers.at(-1);
  if (layer === undefined && prompt !== undefined) return 'prompt';
  if (layer === undefined) return view === 'upgrade' && upgrade.page === 'plan' ? 'plan' : view;
  if (searchOf(layer)?.isOpen === true) return 'search';
  return layer.kind === 'silence' || layer.kind === 'fields-dialog' ? 'form' : layer.kind;
}
