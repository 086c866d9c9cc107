import { EMPTY_LINE, type LineEditor } from './line-editor.ts';
import type { Screen } from '../state/ports.ts';

export interface MenuItem {
  /** Unique within the menu. */
  readonly id: string;
  readonly label: string;
  /** The key that does the same without the menu, as people read it. */
  readonly key?: string | undefined;
  /** Why it cannot be chosen now. */
  readonly disabled?: string | undefined;
  /** It is a box with or without a tick: choosing it leaves the menu open. */
  readonly ticked?: boolean;
  readonly choose: () => void;
}

/** A list of choices over the view: type to search, Enter chooses, Esc leaves. Open it with `openMenu`. */
export interface MenuLayer {
  readonly kind: 'menu';
  readonly title: string;
  /** Made anew for each frame, so that ticks and reasons are as they are now. */
  readonly items: () => readonly MenuItem[];
  readonly search: LineEditor;
  /** Id of the item under the cursor; the first one while it is not shown. */
  readonly at: string | undefined;
}

/** @param at id of the item that the cursor starts on */
export function openMenu(store: Screen, menu: Pick<MenuLayer, 'title' | 'items'>, at?: string): void {
  store.update({ layers: [...store.state.layers, { kind: 'menu', ...menu, search: EMPTY_LINE, at }] });
}

/** The items whose label holds every word of the search. */
export function shownItems(layer: MenuLayer): readonly MenuItem[] {
  const words = layer.search.text.toLowerCase().split(' ');
  return layer.items().filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}

/** Place of the cursor among the shown items; 0 also when there are none. */
export function menuIndex(items: readonly MenuItem[], { at }: MenuLayer): number {
  return Math.max(
    0,
    items.findIndex(({ id }) => id === at),
  );
}
