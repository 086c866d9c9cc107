import type { LineEditor } from '../../text/line-editor.ts';

export interface MenuItem {
  /** Unique within the menu. */
  readonly id: string;
  readonly label: string;
  /** The key that does the same without the menu, as people read it. */
  readonly key?: string | undefined;
  /** Why it cannot be chosen now. */
  readonly disabled?: string | undefined;
  /** The item is a box with or without a tick: choosing it leaves the menu open. */
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
