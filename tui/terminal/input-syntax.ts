import type { InputEvent } from './input-event.ts';
import { characterKey, controlKey, csiEvent, linuxKey, namedKey, ss3Key } from './key-sequences.ts';

/**
 * A part of the input that ends at `end`. Without an event it has no meaning here; `paste` means that pasted
 * text follows.
 */
export interface InputToken {
  readonly end: number;
  readonly event?: InputEvent | 'paste' | undefined;
}

/** Maximum length of a sequence. A longer one is noise, and keys must work again. */
const SEQUENCE_LENGTH_MAX = 4096;

const ESC = '\u001b';
const BEL = '\u0007';
const REPLACEMENT = 0xfffd;

/**
 * Returns the part of the input that begins at `start`, independent of the text before.
 *
 * @returns `undefined` if more input is needed
 */
export function readPiece(text: string, start: number): InputToken | undefined {
  if (start >= text.length) return undefined;
  return text[start] === ESC ? readEscape(text, start) : readCharacter(text, start, false);
}

function readCharacter(text: string, start: number, meta: boolean): InputToken {
  const code = text.codePointAt(start) ?? REPLACEMENT;
  const end = start + (code > 0xffff ? 2 : 1);
  // No key sends malformed bytes or 8-bit controls.
  if (code === REPLACEMENT || (code >= 0x80 && code < 0xa0)) return { end };
  if (code < 0x20 || code === 0x7f) return { end, event: controlKey(code, meta) };
  return { end, event: characterKey(String.fromCodePoint(code), { ctrl: false, meta, shift: false }) };
}

function readEscape(text: string, start: number): InputToken | undefined {
  const next = text[start + 1];
  if (next === undefined) return undefined;
  if (next !== ESC) return readSequence(text, start, false);
  // Two escapes: some terminals put one before the sequence of a key for alt. Otherwise the key was pressed
  // twice.
  const afterNext = text[start + 2];
  if (afterNext === undefined) return undefined;
  if (afterNext === '[' || afterNext === 'O') return readSequence(text, start + 1, true);
  return { end: start + 1, event: namedKey('escape') };
}

/**
 * Reads the sequence after an escape.
 *
 * @param escaped true if another escape came before it
 */
function readSequence(text: string, start: number, escaped: boolean): InputToken | undefined {
  switch (text[start + 1]) {
    case '[':
      return readCsi(text, start + 2, escaped);
    case 'O':
      return readSs3(text, start + 2, escaped);
    // OSC, DCS and APC are late responses to requests of the previous program.
    case ']':
    case 'P':
    case '_':
      return readString(text, start + 2);
    default:
      return readCharacter(text, start + 1, true);
  }
}

function readSs3(text: string, start: number, escaped: boolean): InputToken | undefined {
  const final = text[start];
  if (final === undefined) return undefined;
  if (final === ESC) return { end: start, event: characterKey('O', { ctrl: false, meta: true, shift: false }) };
  return { end: start + 1, event: ss3Key(final, escaped) };
}

function readCsi(text: string, start: number, escaped: boolean): InputToken | undefined {
  if (text[start] === '[') {
    const final = text[start + 1];
    return final === undefined ? undefined : { end: start + 2, event: linuxKey(final) };
  }
  // A mouse report of the first xterm: three more bytes. The console never enables it, and it ends at column
  // 94.
  if (text[start] === 'M') return start + 4 <= text.length ? { end: start + 4 } : undefined;

  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const parameters = text.slice(start, index);
    // rxvt ends shifted keys with a byte that never ends a sequence elsewhere.
    const isFinal = (code >= 0x40 && code < 0x7f) || (code === 0x24 && /^\d+$/.test(parameters));
    if (isFinal) {
      const final = text.charAt(index);
      if (parameters === '200' && final === '~') return { end: index + 1, event: 'paste' };
      return { end: index + 1, event: csiEvent(parameters, final, escaped) };
    }
    // This byte cannot belong to a sequence: it was cut short, and something else begins here.
    if (code < 0x20 || code > 0x7e || index - start > SEQUENCE_LENGTH_MAX) return { end: index };
  }
  return undefined;
}

/** Reads up to BEL or ESC backslash. */
function readString(text: string, start: number): InputToken | undefined {
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
