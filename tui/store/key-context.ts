import type { KeyContext } from '../keys.ts';
import type { ConsoleState } from './console-state.ts';
import { searchOf } from './search-field.ts';

/** Where keys go: whatever is on top gets them. */
export function keyContext({ view, layers, prompt }: Pick<ConsoleState, 'view' | 'layers' | 'prompt'>): KeyContext {
  const layer = layers.at(-1);
  if (layer === undefined) return prompt === undefined ? view : 'prompt';
  if (searchOf(layer)?.isOpen === true) return 'search';
  return layer.kind === 'silence' ? 'form' : layer.kind;
}
