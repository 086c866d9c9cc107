import { editLine, type LineEdit } from '../text/line-editor.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { handleTopLayer, type Action } from '../keys/action.ts';
import { menuIndex, shownItems } from '../form/menu.ts';
import type { Screen } from '../state/ports.ts';
import type { MenuItem, MenuLayer } from '../state/layers/menu.ts';
import { closeLayer, layerOnTop, putLayer } from '../state/layer-stack.ts';

/** The actions in menus. */
export const MENU_ACTIONS: readonly Action[] = [
  {
    name: 'menu-choose',
    keys: ['enter'],
    in: ['menu'],
    help: 'choose',
    hint: 'choose',
    run: handleTopLayer('menu', (store, layer) => chooseItem(store, selectedItem(layer))),
  },
  {
    name: 'menu-toggle',
    keys: ['space'],
    in: ['menu'],
    help: 'select or clear a checkbox',
    run: handleTopLayer('menu', (store, layer) => {
      const item = selectedItem(layer);
      // If the item has no checkbox, Space is part of the search.
      if (item?.ticked === undefined) typeInMenu(store, { kind: 'insert', text: ' ' });
      else chooseItem(store, item);
    }),
  },
  {
    name: 'menu-down',
    keys: ['down', 'ctrl-n', 'tab'],
    in: ['menu'],
    help: 'go to the next choice',
    run: handleTopLayer('menu', (store, layer) => moveSelection(store, layer, 1)),
  },
  {
    name: 'menu-up',
    keys: ['up', 'ctrl-p', 'shift-tab'],
    in: ['menu'],
    help: 'go to the previous choice',
    run: handleTopLayer('menu', (store, layer) => moveSelection(store, layer, -1)),
  },
  { name: 'menu-close', keys: ['escape'], in: ['menu'], help: 'close the menu', hint: 'close', run: closeLayer },
];

/** Edits the search of the open menu. The cursor moves to the first match. */
export function typeInMenu(store: Screen, edit: LineEdit | undefined): void {
  const layer = layerOnTop(store, 'menu');
  if (layer === undefined || edit === undefined) return;
  putLayer(store, { ...layer, search: editLine(layer.search, edit), at: undefined });
}

function chooseItem(store: Screen, item: MenuItem | undefined): void {
  if (item === undefined) return;
  if (item.disabled !== undefined) return store.say(`${item.label}: ${item.disabled}`, 'problem');
  if (item.ticked === undefined) closeLayer(store);
  item.choose();
}

function selectedItem(layer: MenuLayer): MenuItem | undefined {
  const items = shownItems(layer);
  return items[menuIndex(items, layer)];
}

function moveSelection(store: ActionPorts, layer: MenuLayer, by: 1 | -1): void {
  const items = shownItems(layer);
  const index = menuIndex(items, layer) + by;
  // The first item follows the last item, because a menu is short.
  putLayer(store, { ...layer, at: items.at(index % Math.max(1, items.length))?.id });
}
