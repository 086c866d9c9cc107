/**
 * Makes text from outside (output of checks, names, reasons, errors of servers) harmless for a terminal
 * (security S18), in one pass:
 *
 * - what could act on the terminal is shown as a visible escape instead: C0, DEL, C1 and with them the first byte of every
 *   escape sequence, complete or not; bidi controls; invisible and unassigned characters; lone surrogates
 * - plain colours (`ESC [ … m`) disappear: the output of many checks has them, and they carry no text
 * - joiners, variation selectors and skin tones disappear where they belong, behind a character of a script or an emoji:
 *   terminals disagree about the width of what they join; for the same reason a flag is shown as its two letters
 * - every kind of space is a space; a tab fills up to the next multiple of eight
 * - marks are capped per character, and never reach the character in front of the text
 *
 * What remains is as wide as its characters one by one, whether or not a terminal knows of clusters.
 */

/** Vietnamese needs two marks on a letter, pointed Hebrew three or four; more is somebody painting over other lines. */
const MARKS_MAX = 4;

const TAB_WIDTH = 8;

const LINE_FEED = 0x0a;

/** The letters of which pairs are flags. */
const FLAG_A = 0x1f1e6;
const FLAG_Z = 0x1f1ff;

// Nearly all text is plain ASCII. A class without repetition is three times as fast as a loop over the characters.
const BEYOND_ASCII = /[^ -~]/;
const BEYOND_ASCII_LINES = /[^ -~\n]/;

/** Characters that take no cell, act on others, or have a width that nobody can know. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const SPACE = /\p{Zs}/u;
/** Marks, and the two vowels that join the consonant before them although they are letters (Thai and Lao AM). */
const MARK = /[\p{M}\u0e33\u0eb3]/u;
/** What no mark belongs on; terminals that know clusters would draw both in the cells of the one. */
const NEVER_MARKED = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Hangul}]/u;

/** What a mark stands on when the text has nothing for it. */
const DOTTED_CIRCLE = '\u25cc';

/** Text of several lines: they stay lines, ended by `\n`. */
export function safeText(text: string): string {
  return BEYOND_ASCII_LINES.test(text) ? sanitize(text, '\n') : text;
}

/** Text in one line: line ends within it become spaces, those at its end go. */
export function safeLine(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--;
  return sanitize(text.slice(0, end), ' ');
}

/**
 * JSON or YAML with escapes for what neither has to escape but acts on a terminal or cannot be seen. Both allow the escape,
 * so the value stays the same.
 */
export function escapeUnseen(text: string): string {
  return text.replaceAll(/[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

function sanitize(raw: string, lineEnd: '\n' | ' '): string {
  // Letters with their marks, and syllables, as one character where there is one.
  const text = raw.normalize('NFC');
  let safe = '';
  let lineStart = 0;
  // The last character that was written: what joiners and marks attach to. 0 where there is none.
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
        safe += visible(code);
        base = 0;
      } else {
        index = end;
      }
    } else if (isPlain(code)) {
      safe += character;
      base = code;
      marks = 0;
    } else if (isJoiner(code) && base >= 0x300) {
      continue;
    } else if (HIDDEN.test(character) || isSyllablePart(code)) {
      safe += visible(code);
      base = 0;
    } else if (code >= FLAG_A && code <= FLAG_Z) {
      base = code - FLAG_A + 'A'.charCodeAt(0);
      safe += String.fromCharCode(base);
      marks = 0;
    } else if (SPACE.test(character)) {
      safe += code === 0x3000 ? '  ' : ' ';
      base = 0;
    } else if (MARK.test(character)) {
      if (base === 0 || NEVER_MARKED.test(String.fromCodePoint(base))) {
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

/** Where a colour sequence ends whose introducer (`[`, or CSI itself) is at `start`; `undefined` when it is none. */
function colourEnd(text: string, start: number): number | undefined {
  if (text[start] !== '[' && text[start] !== '\u009b') return undefined;
  let end = start + 1;
  while (isColourParameter(text.charCodeAt(end))) end++;
  return text[end] === 'm' ? end + 1 : undefined;
}

/** A digit, a colon or a semicolon. */
function isColourParameter(code: number): boolean {
  return code >= 0x30 && code <= 0x3b;
}

/** Letters of European scripts, which are most of what is not ASCII, without a look at the tables. */
function isPlain(code: number): boolean {
  return (code > 0xa0 && code < 0x250 && code !== 0xad) || (code >= 0x391 && code < 0x482);
}

/** Zero-width joiner and non-joiner, variation selectors, skin tones, the tags of flags. */
function isJoiner(code: number): boolean {
  return (
    code === 0x200c ||
    code === 0x200d ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    (code >= 0x1f3fb && code <= 0x1f3ff) ||
    (code >= 0xe0020 && code <= 0xe01ef)
  );
}

/** Hangul letters that form no syllable of today: any number of them would share two cells. */
function isSyllablePart(code: number): boolean {
  return (code >= 0x1100 && code <= 0x11ff) || (code >= 0xa960 && code <= 0xa97c) || (code >= 0xd7b0 && code <= 0xd7fb);
}

function visible(code: number): string {
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}
