import type { Action } from '../keys/action.ts';
import { settleInspect } from '../screens/inspect/body.ts';
import { editLine, type LineEdit } from '../text/line-editor.ts';
import { NO_SEARCH, type SearchField } from '../state/search-field.ts';
import { searchTyped, textPaneOf, type TextData } from '../screens/text-pane.ts';
import type { Screen, ScreenView } from '../state/ports.ts';
import { searchOf } from '../state/layers/layer.ts';
import { putLayer } from '../state/layer-stack.ts';

/** The actions in the line in which the user types a search, on a screen over the view. */
export const SEARCH_ACTIONS: readonly Action[] = [
  {
    name: 'search-keep',
    keys: ['enter'],
    in: ['search'],
    help: 'apply the search',
    hint: 'keep',
    run: (store) => {
      const search = topSearch(store);
      if (search === undefined) return;
      putSearch(store, { ...search, isOpen: false });
      // The cursor is updated at once. The next key can come before the next frame, and must not act on a row that the
      // search hides.
      settleInspect(store);
    },
  },
  {
    name: 'search-clear',
    keys: ['escape'],
    in: ['search'],
    help: 'clear the search',
    hint: 'clear',
    run: (store) => putSearch(store, NO_SEARCH),
  },
];

export function typeInSearch(store: Screen & TextData, edit: LineEdit | undefined): void {
  const search = topSearch(store);
  if (search !== undefined && edit !== undefined) putSearch(store, { ...search, line: editLine(search.line, edit) });
}

function topSearch(store: ScreenView): SearchField | undefined {
  return searchOf(store.state.layers.at(-1));
}

function putSearch(store: Screen & TextData, search: SearchField): void {
  const layer = store.state.layers.at(-1);
  const text = textPaneOf(store, layer);
  if (text !== undefined) return putLayer(store, searchTyped(text, search));
  if (layer?.kind === 'inspect') return putLayer(store, { ...layer, search });
  // The line under the cursor possibly does not match the new search, so the cursor moves to the first match.
  if (layer?.kind === 'help') putLayer(store, { ...layer, search, at: undefined });
  if (layer?.kind === 'log') putLayer(store, { ...layer, search, at: undefined });
}
