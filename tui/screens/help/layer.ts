import { helpLines, type HelpLine } from './lines.ts';
import { keyContext } from '../../keys/key-context.ts';
import { NO_SEARCH } from '../../state/search-field.ts';
import { ownCommandsOfContext } from '../own-commands.ts';
import { pageHeight } from '../page.tsx';
import type { Screen, ScreenView } from '../../state/ports.ts';
import type { HelpLayer } from '../../state/layers/help.ts';
import { openLayer } from '../../state/layer-stack.ts';

export function openHelp(store: Screen): void {
  const context = keyContext(store.state);
  const ownCommands = ownCommandsOfContext(context, store.options);
  const layer: HelpLayer = { kind: 'help', context, ownCommands, at: undefined, search: NO_SEARCH };
  openLayer(store, layer);
}

/** Returns the number of lines of the help that fit on the screen. */
export function helpRows(store: ScreenView): number {
  return pageHeight(store, 'none', 1) - 1;
}

/** Returns the lines of the help and the index of the line under the cursor; -1 if no key matches the search. */
export function helpView({ context, ownCommands, search, at }: HelpLayer): {
  readonly lines: readonly HelpLine[];
  readonly cursor: number;
} {
  const lines = helpLines(context, search, ownCommands);
  const index = lines.findIndex((line) => line.kind === 'binding' && line.action === at);
  return { lines, cursor: index === -1 ? lines.findIndex(({ kind }) => kind === 'binding') : index };
}
