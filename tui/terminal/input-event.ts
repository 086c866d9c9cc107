/** What the terminal sends, decoded: one event per key, paste, focus change or mouse report, in the order of arrival. */
export type InputEvent = KeyEvent | PasteEvent | FocusEvent | MouseEvent;

export interface Modifiers {
  readonly ctrl: boolean;
  readonly meta: boolean;
  /** Only with keys that have a name. A printable character says it by itself: shift-g is `G`, `shift` false. */
  readonly shift: boolean;
}

export interface KeyEvent extends Modifiers {
  readonly kind: 'key';
  /**
   * The character itself (`a`, `G`, `?`), or one of `space` `enter` `escape` `tab` `backspace` `delete` `insert` `up`
   * `down` `left` `right` `home` `end` `pageup` `pagedown` `center` `f1` to `f35`. Ctrl-a is `a` with `ctrl`; ctrl-space
   * is `space` with `ctrl`; shift-tab is `tab` with `shift`.
   */
  readonly name: string;
  /** What a text field inserts: one code point; absent with ctrl or meta and for keys that type nothing. */
  readonly text?: string;
}

/** Bracketed paste: only ever text, whatever is in it. Line ends are `\n`. Not made safe for a terminal. */
export interface PasteEvent {
  readonly kind: 'paste';
  readonly text: string;
  /** The rest was beyond the limit of `KeyDecoder`. */
  readonly truncated: boolean;
}

/** The terminal window got or lost the keyboard. */
export interface FocusEvent {
  readonly kind: 'focus';
  readonly focused: boolean;
}

export interface MouseEvent extends Modifiers {
  readonly kind: 'mouse';
  readonly action: 'press' | 'release' | 'drag' | 'move' | 'wheelup' | 'wheeldown';
  readonly button: 'left' | 'middle' | 'right' | 'none';
  /** Cells from the left edge, from 0. */
  readonly column: number;
  /** Cells from the top edge, from 0. */
  readonly row: number;
}
