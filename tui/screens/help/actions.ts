import { NO_SEARCH } from '../../state/search-field.ts';
import { SCROLLED_CONTEXTS } from '../../keys/context-groups.ts';
import { handleTopLayer, type Action } from '../../keys/action.ts';
import { putLayer, closeLayer } from '../../state/layer-stack.ts';
import { movedPosition } from '../../keys/movement-target.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';
import { requestOwnCommand } from '../own-commands.ts';
import { helpRows, helpView, openHelp } from './layer.ts';
import type { KeyAction } from '../../state/keys.ts';
import type { HelpLayer } from '../../state/layers/help.ts';

/** Returns the actions whose bindings the help shows, and the index of the one under the cursor. */
export function bindingsOf(layer: HelpLayer): { readonly actions: readonly string[]; readonly index: number } {
  const { lines, cursor } = helpView(layer);
  return {
    actions: lines.flatMap((line) => (line.kind === 'binding' ? [line.action] : [])),
    index: lines.slice(0, Math.max(0, cursor)).filter(({ kind }) => kind === 'binding').length,
  };
}

/** Moves the cursor of the help from binding to binding. Headings and blank lines are skipped. */
export function moveHelp(store: ActionPorts, layer: HelpLayer, action: KeyAction): void {
  const { actions, index } = bindingsOf(layer);
  const last = actions.length - 1;
  const to = movedPosition(action, index, { rows: helpRows(store), last });
  if (to !== undefined) putLayer(store, { ...layer, at: actions[to] });
}

/**
 * Moves to the next or previous binding. Only bindings that match the search are shown, so this is also the next match.
 * The first binding follows the last.
 */
export function seekBinding(store: ActionPorts, layer: HelpLayer, step: 1 | -1): void {
  if (layer.search.line.text === '') return store.say('no search yet: press / to start one');
  const { actions, index } = bindingsOf(layer);
  putLayer(store, { ...layer, at: actions.at((index + step) % actions.length) });
}

export function closeHelp(store: ActionPorts, layer: HelpLayer): void {
  if (layer.search.line.text === '') closeLayer(store);
  else putLayer(store, { ...layer, search: NO_SEARCH, at: undefined });
}

/** The actions in the help screen, and the action that opens the help. */
export const HELP_ACTIONS: readonly Action[] = [
  {
    name: 'help-run',
    keys: ['enter'],
    in: ['help'],
    help: 'run the action under the cursor',
    hint: 'run',
    run: handleTopLayer('help', (store, layer, { perform }) => {
      const { lines, cursor } = helpView(layer);
      const line = lines[cursor];
      if (line?.kind !== 'binding') return;
      closeLayer(store);
      if (typeof line.runs !== 'string') return requestOwnCommand(store, line.runs);
      // The action `view` needs a digit to know which view to open. The help has none, so it opens the menu of views.
      perform(line.runs === 'view' ? 'views' : line.runs);
    }),
  },
  {
    name: 'help',
    keys: ['?', 'f1'],
    in: [...SCROLLED_CONTEXTS],
    help: 'show this help',
    hint: 'help',
    run: (store, { context }) => (context === 'help' ? closeLayer(store) : openHelp(store)),
  },
];
