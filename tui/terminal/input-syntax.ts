import type { InputEvent } from './input-event.ts';
import { characterKey, controlKey, csiEvent, linuxKey, namedKey, ss3Key } from './key-sequences.ts';

/**
 * A decoded part of the input; `end` is the position after it. A part without an event is ignored; `paste` means that
 * pasted text follows.
 */
export interface InputToken {
  readonly end: number;
  readonly event?: InputEvent | 'paste' | undefined;
}

/** Maximum length of an escape sequence. Longer input cannot be a sequence, and is dropped so that keys work again. */
const SEQUENCE_LENGTH_MAX = 4096;

const ESC = '\u001b';
const BEL = '\u0007';
const REPLACEMENT_CODE = 0xfffd;

/**
 * Decodes the key, sequence or paste mark that begins at `start`. The text before `start` does not matter.
 *
 * @returns the decoded part of the input; `undefined` if more input is needed
 */
export function readPiece(text: string, start: number): InputToken | undefined {
  if (start >= text.length) return undefined;
  return text[start] === ESC ? readEscape(text, start) : readCharacter(text, start, false);
}

function readCharacter(text: string, start: number, meta: boolean): InputToken {
  const code = text.codePointAt(start) ?? REPLACEMENT_CODE;
  const end = start + (code > 0xffff ? 2 : 1);
  // No key sends malformed bytes or 8-bit control characters, so they are ignored.
  if (code === REPLACEMENT_CODE || (code >= 0x80 && code < 0xa0)) return { end };
  if (code < 0x20 || code === 0x7f) return { end, event: controlKey(code, meta) };
  return { end, event: characterKey(String.fromCodePoint(code), { ctrl: false, meta, shift: false }) };
}

function readEscape(text: string, start: number): InputToken | undefined {
  const next = text[start + 1];
  if (next === undefined) return undefined;
  if (next !== ESC) return readSequence(text, start, false);
  // Two escape characters in a row. If the sequence of a key follows, some terminals mean this key with alt. Otherwise
  // the first character is the escape key.
  const afterNext = text[start + 2];
  if (afterNext === undefined) return undefined;
  if (afterNext === '[' || afterNext === 'O') return readSequence(text, start + 1, true);
  return { end: start + 1, event: namedKey('escape') };
}

/**
 * Decodes the sequence after an escape character.
 *
 * @param escaped true if another escape character came before it, so that the key was pressed with alt
 */
function readSequence(text: string, start: number, escaped: boolean): InputToken | undefined {
  switch (text[start + 1]) {
    case '[':
      return readCsi(text, start + 2, escaped);
    case 'O':
      return readSs3(text, start + 2, escaped);
    case ']':
      return readOsc(text, start + 2);
    // DCS and APC sequences are late responses to requests of the previous program, so they are ignored.
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
  // A mouse report in the original encoding of xterm has three more bytes. It is ignored, because the console never
  // enables this encoding.
  if (text[start] === 'M') return start + 4 <= text.length ? { end: start + 4 } : undefined;

  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const parameters = text.slice(start, index);
    // rxvt ends the sequence of a shifted key with `$`. No other sequence ends with it.
    const isFinal = (code >= 0x40 && code < 0x7f) || (code === 0x24 && /^\d+$/.test(parameters));
    if (isFinal) {
      const final = text.charAt(index);
      if (parameters === '200' && final === '~') return { end: index + 1, event: 'paste' };
      return { end: index + 1, event: csiEvent(parameters, final, escaped) };
    }
    // The sequence is incomplete, because this byte cannot be part of a sequence, or the sequence is too long. Other
    // input begins here.
    if (code < 0x20 || code > 0x7e || index - start > SEQUENCE_LENGTH_MAX) return { end: index };
  }
  return undefined;
}

/**
 * Decodes an OSC sequence. Only the background color of the terminal has a meaning; other sequences are late responses
 * to requests of the previous program, so they are ignored.
 */
function readOsc(text: string, start: number): InputToken | undefined {
  const token = readString(text, start);
  const color = /^11;rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(text.slice(start, token?.end));
  if (token === undefined || color === null) return token;
  // Each part has one to four hexadecimal digits.
  const [red = 0, green = 0, blue = 0] = color
    .slice(1)
    .map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return { ...token, event: { kind: 'background', isLight: 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 } };
}

/** Skips a string sequence up to its terminator, which is BEL or ESC backslash. */
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
