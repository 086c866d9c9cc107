import type { InputEvent } from './input-event.ts';
import { characterKey, controlKey, csiEvent, linuxKey, namedKey, ss3Key } from './key-sequences.ts';

/** A piece of input, up to `end`. No event when it means nothing here; `paste`: what follows is pasted text. */
export interface Piece {
  readonly end: number;
  readonly event?: InputEvent | 'paste' | undefined;
}

/** What goes on for longer is noise, and keys must work again. */
const SEQUENCE_LENGTH_MAX = 4096;

const ESC = '\u001b';
const BEL = '\u0007';
const REPLACEMENT = 0xfffd;

/**
 * The piece of input that begins at `start`, where the text before `start` does not matter.
 *
 * @returns `undefined` when it takes more input to tell
 */
export function readPiece(text: string, start: number): Piece | undefined {
  if (start >= text.length) return undefined;
  return text[start] === ESC ? readEscape(text, start) : readCharacter(text, start, false);
}

function readCharacter(text: string, start: number, meta: boolean): Piece {
  const code = text.codePointAt(start) ?? REPLACEMENT;
  const end = start + (code > 0xffff ? 2 : 1);
  // Malformed bytes and 8-bit controls: no key sends them.
  if (code === REPLACEMENT || (code >= 0x80 && code < 0xa0)) return { end };
  if (code < 0x20 || code === 0x7f) return { end, event: controlKey(code, meta) };
  return { end, event: characterKey(String.fromCodePoint(code), { ctrl: false, meta, shift: false }) };
}

function readEscape(text: string, start: number): Piece | undefined {
  const next = text[start + 1];
  if (next === undefined) return undefined;
  if (next !== ESC) return readSequence(text, start, false);
  // Two escapes: some terminals put one in front of the sequence of a key for alt; otherwise it is the key twice.
  const afterNext = text[start + 2];
  if (afterNext === undefined) return undefined;
  if (afterNext === '[' || afterNext === 'O') return readSequence(text, start + 1, true);
  return { end: start + 1, event: namedKey('escape') };
}

/** @param escaped another escape was in front of it */
function readSequence(text: string, start: number, escaped: boolean): Piece | undefined {
  switch (text[start + 1]) {
    case '[':
      return readCsi(text, start + 2, escaped);
    case 'O':
      return readSs3(text, start + 2, escaped);
    // OSC, DCS and APC: late answers to questions of the program before us.
    case ']':
    case 'P':
    case '_':
      return readString(text, start + 2);
    default:
      return readCharacter(text, start + 1, true);
  }
}

function readSs3(text: string, start: number, escaped: boolean): Piece | undefined {
  const letter = text[start];
  if (letter === undefined) return undefined;
  if (letter === ESC) return { end: start, event: characterKey('O', { ctrl: false, meta: true, shift: false }) };
  return { end: start + 1, event: ss3Key(letter, escaped) };
}

function readCsi(text: string, start: number, escaped: boolean): Piece | undefined {
  if (text[start] === '[') {
    const letter = text[start + 1];
    return letter === undefined ? undefined : { end: start + 2, event: linuxKey(letter) };
  }
  // The mouse as in the first xterm: three more bytes. It is never asked for, and says nothing beyond column 94.
  if (text[start] === 'M') return start + 4 <= text.length ? { end: start + 4 } : undefined;

  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const parameters = text.slice(start, index);
    // rxvt ends shifted keys with a byte that elsewhere never ends a sequence.
    const isFinal = (code >= 0x40 && code < 0x7f) || (code === 0x24 && /^\d+$/.test(parameters));
    if (isFinal) {
      const final = text.charAt(index);
      if (parameters === '200' && final === '~') return { end: index + 1, event: 'paste' };
      return { end: index + 1, event: csiEvent(parameters, final, escaped) };
    }
    // Not a byte of a sequence: it was cut short, and something else begins here.
    if (code < 0x20 || code > 0x7e || index - start > SEQUENCE_LENGTH_MAX) return { end: index };
  }
  return undefined;
}

/** Up to BEL or ESC backslash. */
function readString(text: string, start: number): Piece | undefined {
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (character === BEL) return { end: index + 1 };
    if (character === ESC) {
      const next = text[index + 1];
      if (next === undefined) return undefined;
      return { end: next === '\\' ? index + 2 : index };
    }
    if (index - start > SEQUENCE_LENGTH_MAX) return { end: index };
  }
  return undefined;
}
