import type { KeyAction } from '../../actions/keys.ts';
import { helpView } from './layer.ts';
import { clamp } from '../../state/list-cursor.ts';
import { helpBodyRows } from '../../state/screen-layout.ts';
import { movedTo } from '../../actions/scroll-keys.ts';
import { NO_SEARCH } from '../../state/search-field.ts';
import type { Screen, Says } from '../../state/ports.ts';
import type { HelpLayer } from '../../state/layers/help.ts';
import { closeLayer, putLayer } from '../../state/layer-stack.ts';

/** @returns what was chosen in the help: the help is closed, and it is to be done as if its key was pressed */
export function pressHelp(store: Screen & Says, action: KeyAction | undefined): KeyAction | undefined {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'help') return undefined;
  const { lines, cursor } = helpView(layer);
  switch (action) {
    case 'help-run': {
      const line = lines[cursor];
      if (line?.kind !== 'binding') return undefined;
      closeLayer(store);
      // A number alone says no view; the menu asks for it.
      return line.action === 'view' ? 'views' : line.action;
    }
    case 'search':
      putLayer(store, { ...layer, search: { ...layer.search, isOpen: true } });
      return undefined;
    case 'match-next':
    case 'match-previous':
      seek(store, layer, action === 'match-next' ? 1 : -1);
      return undefined;
    case 'help':
      closeLayer(store);
      return undefined;
    case 'close':
      if (layer.search.line.text === '') closeLayer(store);
      else putLayer(store, { ...layer, search: NO_SEARCH, at: undefined });
      return undefined;
    default:
      move(store, layer, action);
      return undefined;
  }
}

/** The bindings that are shown, and which of them the cursor is on. */
export function bindingsOf(layer: HelpLayer): { readonly actions: readonly KeyAction[]; readonly index: number } {
  const { lines, cursor } = helpView(layer);
  return {
    actions: lines.flatMap((line) => (line.kind === 'binding' ? [line.action] : [])),
    index: lines.slice(0, Math.max(0, cursor)).filter(({ kind }) => kind === 'binding').length,
  };
}

/** From binding to binding: headings and blank lines lie between. */
function move(store: Screen, layer: HelpLayer, action: KeyAction | undefined): void {
  const { actions, index } = bindingsOf(layer);
  const last = actions.length - 1;
  const to = movedTo(action, index, { rows: helpBodyRows(store.state.size.rows), last });
  if (to !== undefined) putLayer(store, { ...layer, at: actions[clamp(to, 0, last)] });
}

/** All bindings that are shown match: the next one is the next line, and behind the last one the first. */
function seek(store: Screen & Says, layer: HelpLayer, step: 1 | -1): void {
  if (layer.search.line.text === '') return store.say('nothing is searched for: / searches');
  const { actions, index } = bindingsOf(layer);
  putLayer(store, { ...layer, at: actions.at((index + step) % actions.length) });
}
