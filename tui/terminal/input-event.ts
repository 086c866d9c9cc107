/**
 * The decoded input of the terminal: one event for each key, paste, focus change or mouse report, in the order
 * of arrival.
 */
export type InputEvent = KeyEvent | PasteEvent | FocusEvent | MouseEvent | BackgroundEvent;

export interface Modifiers {
  readonly ctrl: boolean;
  readonly meta: boolean;
  /** True only for named keys. A printable character already contains the shift: shift-g is `G` with `shift` false. */
  readonly shift: boolean;
}

export interface KeyEvent extends Modifiers {
  readonly kind: 'key';
  /**
   * The name of the key: the character itself (`a`, `G`, `?`), or one of `space` `enter` `escape` `tab` `backspace`
   * `delete` `insert` `up` `down` `left` `right` `home` `end` `pageup` `pagedown` `center` `f1` to `f35`. Ctrl-a is `a`
   * with `ctrl`; ctrl-space is `space` with `ctrl`; shift-tab is `tab` with `shift`.
   */
  readonly name: string;
  /**
   * The text that the key types into a text field: one code point. Absent with ctrl or meta, and for keys that type
   * nothing.
   */
  readonly text?: string;
}

/**
 * A bracketed paste. Its content is always text, never keys, and its line ends are `\n`. It is not safe for a terminal
 * yet.
 */
export interface PasteEvent {
  readonly kind: 'paste';
  readonly text: string;
  /** True if the end of the pasted text was dropped, because it exceeds the limit of `KeyDecoder`. */
  readonly truncated: boolean;
}

/** A report that the terminal window got or lost the keyboard focus. */
export interface FocusEvent {
  readonly kind: 'focus';
  readonly focused: boolean;
}

/** The response of the terminal to the question for its background color. */
export interface BackgroundEvent {
  readonly kind: 'background';
  readonly isLight: boolean;
}

export interface MouseEvent extends Modifiers {
  readonly kind: 'mouse';
  readonly action: 'press' | 'release' | 'drag' | 'move' | 'wheelup' | 'wheeldown';
  readonly button: 'left' | 'middle' | 'right' | 'none';
  /** Position of the mouse in cells from the left edge, counted from 0. */
  readonly column: number;
  /** Position of the mouse in rows from the top edge, counted from 0. */
  readonly row: number;
}
