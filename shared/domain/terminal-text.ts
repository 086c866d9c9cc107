/**
 * Makes untrusted text (check output, names, reasons, error messages of servers) safe for a terminal (security S18):
 *
 * - Characters that could control the terminal become visible escapes such as `\x1b`: control characters (C0, DEL and
 *   C1), bidi controls, invisible and unassigned characters, and lone surrogates.
 * - Color sequences (`ESC [ … m`) are removed: the output of many checks has them, and they carry no text.
 * - Joiners, variation selectors and skin tones are removed after a character of a script or an emoji, because
 *   terminals disagree about the width of joined characters. For the same reason a flag becomes its two letters.
 * - Every kind of space becomes a space; a tab becomes spaces up to the next multiple of eight columns.
 * - Combining marks are limited to four per character. A mark at the start gets a base character of its own.
 *
 * The width of the result is the sum of the widths of its characters, whether or not a terminal supports grapheme
 * clusters.
 */

/**
 * Maximum number of combining marks per character. Vietnamese needs two on a letter, pointed Hebrew three or four. More
 * marks would be drawn over other lines.
 */
const MARKS_MAX = 4;

const TAB_WIDTH = 8;

const LINE_FEED = 0x0a;

/** The first and the last of the regional indicators: characters of which two form a flag. */
const FLAG_A = 0x1f1e6;
const FLAG_Z = 0x1f1ff;

// Nearly all text is plain ASCII. Testing for other characters with a regular expression is three times as fast as a
// loop.
const NON_ASCII = /[^ -~]/;
const NON_ASCII_LINES = /[^ -~\n]/;

/** Matches characters that have no width, change other characters, or have an unknown width. */
const HIDDEN_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const SPACE_CHARACTERS = /\p{Zs}/u;
/** Matches combining marks, and two vowels that attach to the preceding letter like marks (Thai and Lao AM). */
const COMBINING_MARKS = /[\p{M}\u0e33\u0eb3]/u;
/**
 * Matches emoji and Hangul letters. A combining mark must not attach to them, because terminals disagree about the
 * width of such a combination.
 */
const CHARACTERS_WITHOUT_MARKS = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Hangul}]/u;

/** Base character that is written in front of a combining mark if there is no character to which it can attach. */
const DOTTED_CIRCLE = '\u25cc';

/** Makes multi-line text safe for a terminal. In the result, lines end with `\n`. */
export function safeText(text: string): string {
  return NON_ASCII_LINES.test(text) ? sanitizeText(text, '\n') : text;
}

/** Makes text safe for a terminal as one line: line ends become spaces, and those at the end are removed. */
export function safeLine(text: string): string {
  if (!NON_ASCII.test(text)) return text;
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--;
  return sanitizeText(text.slice(0, end), ' ');
}

/**
 * Escapes characters in JSON or YAML text that are invisible or control a terminal. These formats do not require such
 * escapes but allow them, so the value stays the same.
 */
export function escapeUnseen(text: string): string {
  return text.replaceAll(/[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

function sanitizeText(raw: string, lineEnd: '\n' | ' '): string {
  // NFC composes a letter with its marks, or the letters of a syllable, into one character if such a character exists.
  const text = raw.normalize('NFC');
  let safe = '';
  let lineStart = 0;
  // The last written character, to which combining marks attach; 0 if there is none.
  let base = 0;
  let marks = 0;
  let index = 0;
  while (index < text.length) {
    const printable = printableAsciiEnd(text, index);
    if (printable > index) {
      safe += text.slice(index, printable);
      base = text.charCodeAt(printable - 1);
      marks = 0;
      index = printable;
      continue;
    }
    const code = text.codePointAt(index) ?? 0;
    const next = index + (code > 0xffff ? 2 : 1);
    const character = text.slice(index, next);
    index = next;

    if (code === LINE_FEED || (code === 0x0d && text.charCodeAt(next) === LINE_FEED)) {
      if (code === 0x0d) index++;
      safe += lineEnd;
      lineStart = safe.length;
      base = 0;
    } else if (code === 0x09) {
      safe += lineEnd === ' ' ? ' ' : ' '.repeat(TAB_WIDTH - ((safe.length - lineStart) % TAB_WIDTH));
      base = 0;
    } else if (code === 0x1b || code === 0x9b) {
      const end = colourEnd(text, code === 0x1b ? index : index - 1);
      if (end === undefined) {
        safe += escapeCode(code);
        base = 0;
      } else {
        index = end;
      }
    } else if (isEuropeanLetter(code)) {
      safe += character;
      base = code;
      marks = 0;
    } else if (isJoiner(code) && base >= 0x300) {
      continue;
    } else if (HIDDEN_CHARACTERS.test(character) || isSyllablePart(code)) {
      safe += escapeCode(code);
      base = 0;
    } else if (code >= FLAG_A && code <= FLAG_Z) {
      base = code - FLAG_A + 'A'.charCodeAt(0);
      safe += String.fromCharCode(base);
      marks = 0;
    } else if (SPACE_CHARACTERS.test(character)) {
      safe += code === 0x3000 ? '  ' : ' ';
      base = 0;
    } else if (COMBINING_MARKS.test(character)) {
      if (base === 0 || CHARACTERS_WITHOUT_MARKS.test(String.fromCodePoint(base))) {
        safe += DOTTED_CIRCLE;
        base = 0x25cc;
        marks = 0;
      }
      if (++marks <= MARKS_MAX) safe += character;
    } else {
      safe += character;
      base = code;
      marks = 0;
    }
  }
  return safe;
}

function printableAsciiEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code < 0x20 || code > 0x7e) break;
    end++;
  }
  return end;
}

/**
 * Returns the end of a color sequence; undefined if there is none. `start` is the position of its `[` after ESC, or of
 * the single character CSI.
 */
function colourEnd(text: string, start: number): number | undefined {
  if (text[start] !== '[' && text[start] !== '\u009b') return undefined;
  let end = start + 1;
  while (isColourParameter(text.charCodeAt(end))) end++;
  return text[end] === 'm' ? end + 1 : undefined;
}

/** Whether the code is a digit, a colon or a semicolon. */
function isColourParameter(code: number): boolean {
  return code >= 0x30 && code <= 0x3b;
}

/** Whether the code is a letter of a European script. This fast test decides for most non-ASCII text. */
function isEuropeanLetter(code: number): boolean {
  return (code > 0xa0 && code < 0x250 && code !== 0xad) || (code >= 0x391 && code < 0x482);
}

/** Whether the code is a zero-width joiner or non-joiner, a variation selector, a skin tone or a tag of a flag. */
function isJoiner(code: number): boolean {
  return (
    code === 0x200c ||
    code === 0x200d ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    (code >= 0x1f3fb && code <= 0x1f3ff) ||
    (code >= 0xe0020 && code <= 0xe01ef)
  );
}

/** Whether the code is a Hangul letter outside of a composed syllable: a terminal can draw many of them as one. */
function isSyllablePart(code: number): boolean {
  return (code >= 0x1100 && code <= 0x11ff) || (code >= 0xa960 && code <= 0xa97c) || (code >= 0xd7b0 && code <= 0xd7fb);
}

function escapeCode(code: number): string {
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}
