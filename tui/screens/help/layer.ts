import type { KeyAction, KeyContext } from '../../actions/keys.ts';
import { helpLines, type HelpLine } from './lines.ts';
import { keyContext } from '../../actions/key-context.ts';
import { NO_SEARCH, type SearchField } from '../../form/search-field.ts';
import type { Screen } from '../../state/ports.ts';

/** The keys of the place that the help was asked for in. */
export interface HelpLayer {
  readonly kind: 'help';
  readonly context: KeyContext;
  /** The binding under the cursor; `undefined`, or not shown: the first. */
  readonly at: KeyAction | undefined;
  readonly search: SearchField;
}

export function openHelp(store: Screen): void {
  const layer: HelpLayer = { kind: 'help', context: keyContext(store.state), at: undefined, search: NO_SEARCH };
  store.update({ layers: [...store.state.layers, layer] });
}

/** What the help shows, and which of its lines the cursor is on; -1: on none, because no key matches. */
export function helpView({ context, search, at }: HelpLayer): {
  readonly lines: readonly HelpLine[];
  readonly cursor: number;
} {
  const lines = helpLines(context, search);
  const found = lines.findIndex((line) => line.kind === 'binding' && line.action === at);
  return { lines, cursor: found === -1 ? lines.findIndex(({ kind }) => kind === 'binding') : found };
}
