/**
 * Parser for JSON in files that people write. Every error has a position. No input is guessed, and none is lost without
 * a warning.
 */

import { escapeRawControls } from './raw-control-characters.ts';

/** A position in a text: line and column, counted from 1; columns in UTF-16 units. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** An error in JSON text, with its position. `message` says what is wrong or what to do. */
export class JsonTextError extends Error implements TextPosition {
  override readonly name = 'JsonTextError';
  readonly line: number;
  readonly column: number;

  constructor(message: string, { line, column }: TextPosition) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** A warning about a value in the text that was replaced. */
export interface JsonTextRemark extends TextPosition {
  /** The value that is used instead, and what to do. The text is never quoted, because it could be a password. */
  readonly message: string;
}

function positionOf(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** Maximum nesting depth (security S7). */
export const DEPTH_MAX = 32;

/** Names with a special meaning in JavaScript: an attribute with such a name could change a prototype (security S9). */
export const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const SPACE_TOKEN = /[\t\n\r ]*/y;
const LINE_COMMENT = /\/\/[^\n]*/y;
// In a string, only the quote and the backslash must be escaped. Even raw control characters are accepted.
const STRING_TOKEN = /"[^"\\]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*)*"/y;
const WORD_TOKEN = /[\w.+-]+/y;
const NUMBER_FORMAT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const CONSTANT_WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Ruby's words for numbers that JSON cannot express. */
const NOT_FINITE_WORDS: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity']);

/**
 * Parses JSON text, in which strings are allowed to contain raw control characters. Unlike `JSON.parse`, it rejects
 * duplicate names and integers that would be rounded, so that no input is lost (security S8). A byte order mark at the
 * start is skipped.
 *
 * @throws JsonTextError if the text is not valid
 */
export function parseJsonText(text: string): unknown {
  return parseText(text);
}

/**
 * Parses the JSON of a file. Like Sensu Core, it also accepts comments, numbers that cannot be represented, and an
 * empty file.
 *
 * @returns the value, which is undefined for an empty file, and the warnings
 * @throws JsonTextError if the text is not valid
 */
export function parseJsonFile(text: string): { readonly value: unknown; readonly remarks: readonly JsonTextRemark[] } {
  const remarks: JsonTextRemark[] = [];
  const value = parseText(text, (message, offset) => {
    remarks.push({ message, ...positionOf(text, offset) });
  });
  return { value, remarks };
}

/**
 * Parses JSON.
 *
 * @param remark callback for warnings; if undefined, each warning is an error, and comments and empty text are errors
 */
function parseText(text: string, remark?: (message: string, offset: number) => void): unknown {
  let offset = text.startsWith('\uFEFF') ? 1 : 0;

  const fail = (message: string, at = offset): never => {
    throw new JsonTextError(message, positionOf(text, at));
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset;
    const lexeme = pattern.exec(text)?.[0];
    if (lexeme !== undefined) offset += lexeme.length;
    return lexeme;
  };
  const skipComment = (): boolean => {
    if (remark === undefined) return false;
    if (match(LINE_COMMENT) !== undefined) return true;
    if (!text.startsWith('/*', offset)) return false;
    const end = text.indexOf('*/', offset + 2);
    if (end === -1) fail('this comment is not closed: end it with */');
    offset = end + 2;
    return true;
  };
  const skipSpace = (): void => {
    match(SPACE_TOKEN);
    while (skipComment()) match(SPACE_TOKEN);
    if (text[offset] === '/' || text[offset] === '#') {
      fail(remark === undefined ? 'JSON has no comments: remove this one' : 'a comment begins with // or /*');
    }
  };
  const take = (sign: string): boolean => {
    skipSpace();
    if (text[offset] !== sign) return false;
    offset += 1;
    return true;
  };
  /** Skips the comma or closing bracket after an item. Returns whether another item follows. */
  const another = (close: string): boolean => {
    if (take(close)) return false;
    const at = offset;
    if (!take(',')) fail(`expected "," or "${close}"`);
    skipSpace();
    if (text[offset] === close) fail(`remove the comma before "${close}"`, at);
    return true;
  };

  function parseString(): string {
    const literal = match(STRING_TOKEN) ?? fail('this string is not closed, or contains an invalid escape');
    const value: unknown = JSON.parse(escapeRawControls(literal));
    return String(value).toWellFormed();
  }

  function parseWord(): unknown {
    const at = offset;
    const word =
      match(WORD_TOKEN) ?? fail(offset >= text.length ? 'the text ends where a value is expected' : 'expected a value');
    if (CONSTANT_WORDS.has(word)) return CONSTANT_WORDS.get(word);
    if (remark !== undefined && NOT_FINITE_WORDS.has(word)) {
      remark('this is not a number in JSON: null is used instead; write a number, or remove it', at);
      return null;
    }
    if (!NUMBER_FORMAT.test(word)) fail('this is not a value: put texts in double quotes', at);
    const value = Number(word);
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value;
    if (remark === undefined) fail('this number is too large: put it in double quotes', at);
    const used = Number.isFinite(value) ? value : null;
    remark?.(
      `this number is too large: ${used === null ? 'null' : 'the nearest that can be kept'} is used instead; put it in double quotes`,
      at,
    );
    return used;
  }

  function parseObject(depth: number): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    if (take('}')) return {};
    do {
      skipSpace();
      const at = offset;
      if (text[offset] !== '"') fail('expected a name in double quotes');
      const name = parseString();
      if (FORBIDDEN_NAMES.has(name)) fail(`the field name "${name}" is not allowed`, at);
      if (entries.has(name)) fail(`the name "${name}" is defined twice: remove one`, at);
      if (!take(':')) fail(`expected ":" after "${name}"`);
      entries.set(name, parseValue(depth));
    } while (another('}'));
    return Object.fromEntries(entries);
  }

  function parseArray(depth: number): unknown[] {
    const items: unknown[] = [];
    if (take(']')) return items;
    do items.push(parseValue(depth));
    while (another(']'));
    return items;
  }

  function parseValue(depth: number): unknown {
    skipSpace();
    if (depth >= DEPTH_MAX) fail(`nested deeper than ${String(DEPTH_MAX)} levels`);
    if (take('{')) return parseObject(depth + 1);
    if (take('[')) return parseArray(depth + 1);
    return text[offset] === '"' ? parseString() : parseWord();
  }

  skipSpace();
  if (remark !== undefined && offset >= text.length) return undefined;
  const value = parseValue(0);
  skipSpace();
  if (offset < text.length) fail('expected nothing more after the value');
  return value;
}
