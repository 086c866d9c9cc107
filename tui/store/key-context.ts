import type { KeyContext } from '../keys.ts';
import type { ConsoleState } from './console-state.ts';

/** Where keys go: whatever is on top gets them. */
export function keyContext({ layers, prompt }: Pick<ConsoleState, 'layers' | 'prompt'>): KeyContext {
  const layer = layers.at(-1);
  if (layer === undefined) return prompt === undefined ? 'list' : 'prompt';
  return layer.kind === 'silence' ? 'form' : layer.kind;
}
