import type { LineEditor } from '../../text/line-editor.ts';

export interface MenuItem {
  /** Unique within the menu. */
  readonly id: string;
  readonly label: string;
  /** The label of the key that runs the same action without the menu. */
  readonly key?: string | undefined;
  /** Why the item cannot be chosen now. */
  readonly disabled?: string | undefined;
  /** The state of a checkbox item; choosing it leaves the menu open. */
  readonly ticked?: boolean;
  readonly choose: () => void;
}

/** A list of choices over the view. Typing searches, Enter chooses, Esc closes. Open it with `openMenu`. */
export interface MenuLayer {
  readonly kind: 'menu';
  readonly title: string;
  /** Returns the items of this frame, so that checkboxes and reasons are up to date. */
  readonly items: () => readonly MenuItem[];
  readonly search: LineEditor;
  /** Id of the item under the cursor; the first item if it is not shown. */
  readonly at: string | undefined;
}
