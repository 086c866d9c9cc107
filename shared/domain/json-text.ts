/** JSON as people write it into files: every refusal names its place, and nothing is guessed or silently lost. */

/** `line` and `column` count from 1, columns in UTF-16 units; `message` says what to do. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
  readonly line: number;
  readonly column: number;

  constructor(message: string, text: string, offset: number) {
    super(message);
    const before = text.slice(0, offset);
    this.line = before.split('\n').length;
    this.column = offset - before.lastIndexOf('\n');
  }
}

/** Deepest nesting (design S7). */
export const DEPTH_MAX = 32;

/** Names with a meaning to the language itself: a value under one of them could reach a prototype (design S9). */
export const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const SPACE = /[\t\n\r ]*/y;
// A character that stands for itself is anything from the space on but the quote and the backslash.
const STRING = /"[ !#-[\]-\uFFFF]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uFFFF]*)*"/y;
const WORD = /[\w.+-]+/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * Stricter than `JSON.parse` where that one loses what somebody wrote: a name twice in an object, an integer that is
 * rounded (design S8). A byte order mark at the start is skipped.
 *
 * @throws JsonTextError
 */
export function parseJsonText(text: string): unknown {
  let offset = text.startsWith('\uFEFF') ? 1 : 0;

  const fail = (message: string, at = offset): never => {
    throw new JsonTextError(message, text, at);
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) offset += found.length;
    return found;
  };
  const skipSpace = (): void => {
    match(SPACE);
    if (text[offset] === '/' || text[offset] === '#') fail('JSON has no comments: remove this one');
  };
  const take = (sign: string): boolean => {
    skipSpace();
    if (text[offset] !== sign) return false;
    offset += 1;
    return true;
  };
  /** After an item: whether another one follows. */
  const another = (close: string): boolean => {
    if (take(close)) return false;
    const at = offset;
    if (!take(',')) fail(`expected "," or "${close}"`);
    skipSpace();
    if (text[offset] === close) fail(`remove the comma before "${close}"`, at);
    return true;
  };

  function parseString(): string {
    const found = match(STRING) ?? fail('this string is not closed on its line, or holds a bad escape');
    const value: unknown = JSON.parse(found);
    return String(value);
  }

  function parseWord(): unknown {
    const at = offset;
    const word =
      match(WORD) ?? fail(offset >= text.length ? 'the text ends where a value is expected' : 'expected a value');
    if (WORDS.has(word)) return WORDS.get(word);
    if (!NUMBER.test(word)) fail('this is not a value: put texts in double quotes', at);
    const value = Number(word);
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      fail('this number is too large: put it in double quotes', at);
    }
    return value;
  }

  function parseObject(depth: number): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    if (take('}')) return {};
    do {
      skipSpace();
      const at = offset;
      if (text[offset] !== '"') fail('expected a name in double quotes');
      const name = parseString();
      if (FORBIDDEN_NAMES.has(name)) fail(`the name "${name}" is not allowed`, at);
      if (entries.has(name)) fail(`the name "${name}" stands here twice: remove one`, at);
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

  const value = parseValue(0);
  skipSpace();
  if (offset < text.length) fail('expected nothing more after the value');
  return value;
}
