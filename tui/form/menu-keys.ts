import type { KeyAction } from '../actions/keys.ts';
import { editLine, type LineEdit } from '../text/line-editor.ts';
import { menuIndex, shownItems } from './menu.ts';
import type { Screen, Says, Shown } from '../state/ports.ts';
import type { MenuItem, MenuLayer } from '../state/layers/menu.ts';
import { closeLayer, putLayer } from '../state/layer-stack.ts';

export function pressMenu(store: Screen & Says, action: KeyAction): void {
  const layer = menuLayer(store);
  if (layer === undefined) return;
  const items = shownItems(layer);
  const item = items[menuIndex(items, layer)];
  switch (action) {
    case 'menu-down':
      return moveBy(store, layer, items, 1);
    case 'menu-up':
      return moveBy(store, layer, items, -1);
    case 'menu-choose':
      return choose(store, item);
    case 'menu-toggle':
      // Without boxes a space is part of what is searched for.
      return item?.ticked === undefined ? typeInMenu(store, { kind: 'insert', text: ' ' }) : choose(store, item);
    case 'menu-close':
      return closeLayer(store);
    default:
      return undefined;
  }
}

/** What is typed narrows the choices down, and the cursor is on the first of them. */
export function typeInMenu(store: Screen, edit: LineEdit | undefined): void {
  const layer = menuLayer(store);
  if (layer === undefined || edit === undefined) return;
  putLayer(store, { ...layer, search: editLine(layer.search, edit), at: undefined });
}

function choose(store: Screen & Says, item: MenuItem | undefined): void {
  if (item === undefined) return;
  if (item.disabled !== undefined) return store.say(`${item.label}: ${item.disabled}`, 'problem');
  if (item.ticked === undefined) closeLayer(store);
  item.choose();
}

function moveBy(store: Screen, layer: MenuLayer, items: readonly MenuItem[], by: 1 | -1): void {
  const index = menuIndex(items, layer) + by;
  // Past the end is the beginning: a menu is short.
  putLayer(store, { ...layer, at: items.at(index % Math.max(1, items.length))?.id });
}

function menuLayer(store: Shown): MenuLayer | undefined {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'menu' ? layer : undefined;
}
