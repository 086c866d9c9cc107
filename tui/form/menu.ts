import { EMPTY_LINE } from '../text/line-editor.ts';
import type { Screen } from '../state/ports.ts';
import type { MenuItem, MenuLayer } from '../state/layers/menu.ts';
import { openLayer } from '../state/layer-stack.ts';

/**
 * Opens a menu.
 *
 * @param at id of the item that the cursor starts on
 */
export function openMenu(store: Screen, menu: Pick<MenuLayer, 'title' | 'items' | 'isFinder'>, at?: string): void {
  openLayer(store, { kind: 'menu', ...menu, search: EMPTY_LINE, at });
}

/** Returns the menu items whose label contains every word of the search. */
export function shownItems(layer: MenuLayer): readonly MenuItem[] {
  const { text } = layer.search;
  const items = layer.items(text);
  if (layer.isFinder === true || text === '') return items;
  const words = text.toLowerCase().split(' ');
  return items.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}

/** Returns the index of the menu item under the cursor; 0 if there are no items. */
export function menuIndex(items: readonly MenuItem[], { at }: MenuLayer): number {
  return Math.max(
    0,
    items.findIndex(({ id }) => id === at),
  );
}
