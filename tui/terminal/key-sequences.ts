import type { InputEvent, Modifiers, MouseEvent } from './input-event.ts';

/**
 * The meaning of terminal sequences, as pure functions of their text. Sources: xterm "Control Sequences" (CSI,
 * SS3, modifiers, SGR mouse, focus), the terminfo entries of linux, screen, tmux, rxvt and vt220, and the kitty
 * keyboard protocol (CSI u).
 */

const NO_MODIFIERS: Modifiers = { ctrl: false, meta: false, shift: false };

/** Names of the keys that send `CSI letter`, also with modifiers, or `SS3 letter` (application mode). */
const FINAL_KEYS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'center',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

/** Names of the keypad keys that send `SS3 letter` in application mode (vt100). */
const KEYPAD_KEYS: Readonly<Record<string, string>> = {
  M: 'enter',
  X: '=',
  j: '*',
  k: '+',
  l: ',',
  m: '-',
  n: '.',
  o: '/',
  p: '0',
  q: '1',
  r: '2',
  s: '3',
  t: '4',
  u: '5',
  v: '6',
  w: '7',
  x: '8',
  y: '9',
};

/** Names of the keys that send `CSI number ~` (vt220). The numbers of the function keys have gaps. */
const NUMBER_KEYS: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
  25: 'f13',
  26: 'f14',
  28: 'f15',
  29: 'f16',
  31: 'f17',
  32: 'f18',
  33: 'f19',
  34: 'f20',
};

/** Names of the function keys that send `CSI [ letter` on the Linux console. */
const LINUX_KEYS: Readonly<Record<string, string>> = { A: 'f1', B: 'f2', C: 'f3', D: 'f4', E: 'f5' };

/** Names of the keys without a character that send `CSI number u` (kitty). */
const KITTY_KEYS: Readonly<Record<number, string>> = {
  57_409: '.',
  57_410: '/',
  57_411: '*',
  57_412: '-',
  57_413: '+',
  57_414: 'enter',
  57_415: '=',
  57_416: ',',
  57_417: 'left',
  57_418: 'right',
  57_419: 'up',
  57_420: 'down',
  57_421: 'pageup',
  57_422: 'pagedown',
  57_423: 'home',
  57_424: 'end',
  57_425: 'insert',
  57_426: 'delete',
  57_427: 'center',
};

const KITTY_F13 = 57_376;
const KITTY_F35 = 57_398;
const KITTY_KEYPAD_0 = 57_399;
const KITTY_KEYPAD_9 = 57_408;
/** The first and last code point with which kitty numbers keys without a character (a private use area). */
const KITTY_FIRST = 57_344;
const KITTY_LAST = 63_743;

/** Returns the event of a named key; it has no text unless the name is a character. */
export function namedKey(name: string, modifiers: Modifiers = NO_MODIFIERS): InputEvent {
  return name.length === 1 ? characterKey(name, modifiers) : { kind: 'key', name, ...modifiers };
}

/** Returns the event of a key that types `character`, one code point. */
export function characterKey(character: string, { ctrl, meta }: Modifiers = NO_MODIFIERS): InputEvent {
  const name = character === ' ' ? 'space' : character;
  const key = { kind: 'key', name, ctrl, meta, shift: false } as const;
  return ctrl || meta ? key : { ...key, text: character };
}

/** Returns the event of a C0 control character or DEL, without ESC. */
export function controlKey(code: number, meta = false): InputEvent {
  switch (code) {
    case 0x00:
      return namedKey('space', { ctrl: true, meta, shift: false });
    case 0x08:
    case 0x7f:
      return namedKey('backspace', { ctrl: false, meta, shift: false });
    case 0x09:
      return namedKey('tab', { ctrl: false, meta, shift: false });
    case 0x0a:
    case 0x0d:
      return namedKey('enter', { ctrl: false, meta, shift: false });
    default:
      // Ctrl clears the upper bits: 0x01 was `a`, 0x1c was `\`.
      return characterKey(String.fromCharCode(code + (code < 0x1b ? 0x60 : 0x40)), { ctrl: true, meta, shift: false });
  }
}

/**
 * Returns the event of the sequence `SS3 letter`.
 *
 * @returns `undefined` if no key sends this letter
 */
export function ss3Key(final: string, meta: boolean): InputEvent | undefined {
  const modifiers = { ctrl: false, meta, shift: false };
  const name = FINAL_KEYS[final] ?? KEYPAD_KEYS[final];
  if (name !== undefined) return namedKey(name, modifiers);
  // rxvt sends lower-case letters for arrow keys with ctrl.
  if (final >= 'a' && final <= 'd') return namedKey(arrowKey(final), { ...modifiers, ctrl: true });
  return undefined;
}

/**
 * Returns the event of the sequence `CSI [ letter`.
 *
 * @returns `undefined` if no key sends this letter
 */
export function linuxKey(final: string): InputEvent | undefined {
  const name = LINUX_KEYS[final];
  return name === undefined ? undefined : namedKey(name);
}

/**
 * Returns the event of a control sequence, `CSI parameters final`.
 *
 * @param escaped true if another escape character came before the sequence, so that the key was pressed with alt
 * @returns the event; `undefined` if the sequence is not a key, mouse or focus report, for example a response to
 *   another program
 */
export function csiEvent(parameters: string, final: string, escaped: boolean): InputEvent | undefined {
  if (parameters.startsWith('<')) return mouseEvent(parameters.slice(1), final);
  if (parameters === '' && final === 'I') return { kind: 'focus', focused: true };
  if (parameters === '' && final === 'O') return { kind: 'focus', focused: false };
  if (!/^[\d:;]*$/.test(parameters)) return undefined;

  const [first = '', second = '', third = ''] = parameters.split(';');
  const { modifiers, released } = readModifiers(second, escaped);
  if (modifiers === undefined || released) return undefined;
  switch (final) {
    case '~':
      // xterm's modifyOtherKeys: `CSI 27 ; modifiers ; code ~`.
      if (first === '27') return codeKey(Number(third), undefined, modifiers);
      return numberKey(Number(first), modifiers);
    case 'u':
      return codeKey(Number(first.split(':')[0]), first.split(':')[1], modifiers);
    case 'Z':
      return namedKey('tab', { ...modifiers, shift: true });
    // rxvt encodes the modifier in the last byte.
    case '^':
      return numberKey(Number(first), { ...modifiers, ctrl: true });
    case '$':
      return numberKey(Number(first), { ...modifiers, shift: true });
    case '@':
      return numberKey(Number(first), { ...modifiers, ctrl: true, shift: true });
    case 'a':
    case 'b':
    case 'c':
    case 'd':
      return parameters === '' ? namedKey(arrowKey(final), { ...modifiers, shift: true }) : undefined;
    default: {
      const name = FINAL_KEYS[final];
      // `CSI row ; column R` is also the report of the cursor position. In the sequence of a key, the first parameter
      // is 1 or missing.
      if (name === undefined || (first !== '' && first.split(':')[0] !== '1')) return undefined;
      return namedKey(name, modifiers);
    }
  }
}

function numberKey(number: number, modifiers: Modifiers): InputEvent | undefined {
  const name = NUMBER_KEYS[number];
  return name === undefined ? undefined : namedKey(name, modifiers);
}

/**
 * Returns the event of the key with this code point. `shiftedCode` is the code point that the key has with shift, if
 * the terminal sends it.
 */
function codeKey(code: number, shiftedCode: string | undefined, modifiers: Modifiers): InputEvent | undefined {
  if (code === 0x1b) return namedKey('escape', modifiers);
  if (code === 0x09 || code === 0x0d || code === 0x7f || code === 0x08) {
    return { ...controlKey(code), ...modifiers };
  }
  if (code >= KITTY_FIRST && code <= KITTY_LAST) {
    if (code >= KITTY_F13 && code <= KITTY_F35) return namedKey(`f${String(code - KITTY_F13 + 13)}`, modifiers);
    if (code >= KITTY_KEYPAD_0 && code <= KITTY_KEYPAD_9) return characterKey(String(code - KITTY_KEYPAD_0), modifiers);
    const name = KITTY_KEYS[code];
    return name === undefined ? undefined : namedKey(name, modifiers);
  }
  if (!isCharacter(code)) return undefined;
  const character = String.fromCodePoint(code);
  if (!modifiers.shift) return characterKey(character, modifiers);
  const shifted = Number(shiftedCode ?? '');
  return characterKey(isCharacter(shifted) ? String.fromCodePoint(shifted) : shiftedCharacter(character), modifiers);
}

function isCharacter(code: number): boolean {
  return (
    Number.isInteger(code) && code >= 0x20 && code <= 0x10_ffff && !(code >= 0x7f && code < 0xa0) && !isSurrogate(code)
  );
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

function shiftedCharacter(character: string): string {
  const upper = character.toUpperCase();
  // The upper case of `ß` is two letters, which no key types.
  return upper.length === character.length ? upper : character;
}

function arrowKey(final: string): string {
  return FINAL_KEYS[final.toUpperCase()] ?? 'up';
}

/**
 * Parses the modifier parameter of a key sequence: `modifiers` or `modifiers:event`. `modifiers` is 1 plus a bit for
 * each modifier.
 */
function readModifiers(text: string, escaped: boolean): { modifiers?: Modifiers; released: boolean } {
  const [number = '', event = ''] = text.split(':');
  const bits = number === '' ? 0 : Number(number) - 1;
  const released = event === '3';
  // Keys with super or hyper belong to the desktop and are ignored: super-q is not `q`.
  if (bits < 0 || (bits & 0b01_1000) !== 0) return { released };
  return {
    modifiers: { shift: (bits & 1) !== 0, meta: escaped || (bits & 0b10_0010) !== 0, ctrl: (bits & 4) !== 0 },
    released,
  };
}

/**
 * Parses a mouse report: `CSI < buttons ; column ; row M`, or `m` for a release. Columns and rows are counted from 1.
 */
function mouseEvent(parameters: string, final: string): MouseEvent | undefined {
  const match = /^(\d{1,5});(\d{1,5});(\d{1,5})$/.exec(parameters);
  if (match === null || (final !== 'M' && final !== 'm')) return undefined;
  const [buttons = 0, column = 0, row = 0] = match.slice(1).map(Number);
  const pointer = {
    column: Math.max(0, column - 1),
    row: Math.max(0, row - 1),
    shift: (buttons & 4) !== 0,
    meta: (buttons & 8) !== 0,
    ctrl: (buttons & 16) !== 0,
  };
  const number = buttons & 3;
  // Additional mouse buttons, such as back and forward, are ignored.
  if (buttons >= 128) return undefined;
  if ((buttons & 64) !== 0) {
    if (number > 1 || final === 'm') return undefined;
    return { kind: 'mouse', action: number === 0 ? 'wheelup' : 'wheeldown', button: 'none', ...pointer };
  }
  const button = (['left', 'middle', 'right', 'none'] as const)[number] ?? 'none';
  if ((buttons & 32) !== 0) return { kind: 'mouse', action: button === 'none' ? 'move' : 'drag', button, ...pointer };
  return { kind: 'mouse', action: final === 'm' ? 'release' : 'press', button, ...pointer };
}
