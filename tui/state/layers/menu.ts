import type { LineEditor } from '../../text/line-editor.ts';

export interface MenuItem {
  /** Id of the item, unique within the menu. */
  readonly id: string;
  readonly label: string;
  /** The kind of thing that the item stands for, in a menu of several kinds. */
  readonly kind?: string;
  /** A short description, drawn after the label. */
  readonly note?: string | undefined;
  /** The label of the key that does the same as the menu item. */
  readonly key?: string | undefined;
  /** The reason why the item cannot be chosen now; `undefined` if it can. */
  readonly disabled?: string | undefined;
  /**
   * The state of an item with a checkbox; absent for other items. Choosing an item with a checkbox leaves the menu
   * open.
   */
  readonly ticked?: boolean;
  readonly choose: () => void;
}

/** A menu over the view. Typing searches its items, Enter chooses an item, Esc closes the menu. `openMenu` opens it. */
export interface MenuLayer {
  readonly kind: 'menu';
  readonly title: string;
  /**
   * Returns the current items. It is called for each frame, so that checkboxes and reasons are up to date.
   *
   * @param search the text that the user typed
   */
  readonly items: (search: string) => readonly MenuItem[];
  /** True if `items` returns only the items that match the search, the best match first. */
  readonly isFinder?: true;
  readonly search: LineEditor;
  /** Id of the item under the cursor. If it is `undefined` or not shown, the cursor is on the first item. */
  readonly at: string | undefined;
}
