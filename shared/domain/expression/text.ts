import { SyntaxProblem } from './syntax-problem.ts';
import type { Fallback, Token } from './tree.ts';

/** The characters at the start of a token such as `:::name:::`. */
export const TOKEN_AHEAD = ':::';

/** Matches a token `:::path:::` up to the next `:::`. Its path does not begin with a colon (completion 1.12). */
const TOKEN_AT_POSITION = /:::([^:\n][^\n]*?):::/y;
const ALL_TOKENS = /:::([^:\n][^\n]*?):::/g;

const SINGLE_QUOTED = /'((?:[^'\\]|\\[^])*)'/y;
const DOUBLE_QUOTED = /"((?:[^"\\]|\\[^])*)"/y;

const NUMBER_FORMAT = /^-?\d+(?:\.\d+)?$/;
const QUOTED_TEXT = /^(?:'([^'\\]*)'|"([^"\\]*)")$/;

const ESCAPE_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['#', '#'],
]);

/**
 * Parses a quoted text and splits it at its tokens. So the value of a token can neither end the text nor be parsed as
 * an expression.
 *
 * @returns the tokens and the non-empty texts between them, and the position after the closing quote
 * @throws SyntaxProblem if the text is invalid
 */
export function readQuoted(source: string, start: number): { parts: (string | Token)[]; end: number } {
  const isDouble = source[start] === '"';
  const quoted = isDouble ? DOUBLE_QUOTED : SINGLE_QUOTED;
  quoted.lastIndex = start;
  const inner = quoted.exec(source)?.[1];
  if (inner === undefined) {
    throw new SyntaxProblem(
      source[start] === '"' || source[start] === "'" ? 'this quote is not closed' : 'a text in quotes is missing here',
      start,
    );
  }
  const parts: (string | Token)[] = [];
  const plain = (from: number, to: number): void => {
    const text = unescapeText(inner.slice(from, to), isDouble, start + 1 + from);
    if (text !== '') parts.push(text);
  };
  let position = 0;
  for (const { 0: tokenText, 1: body = '', index } of inner.matchAll(ALL_TOKENS)) {
    plain(position, index);
    parts.push(tokenOf(body));
    position = index + tokenText.length;
  }
  plain(position, inner.length);
  return { parts, end: quoted.lastIndex };
}

/**
 * Parses a token `:::path|default:::` outside of quotes.
 *
 * @throws SyntaxProblem if the token is not closed
 */
export function readToken(source: string, start: number): { token: Token; end: number } {
  TOKEN_AT_POSITION.lastIndex = start;
  const body = TOKEN_AT_POSITION.exec(source)?.[1];
  if (body === undefined)
    throw new SyntaxProblem('this token is not closed: write :::path::: or :::path|default:::', start);
  return { token: tokenOf(body), end: TOKEN_AT_POSITION.lastIndex };
}

function tokenOf(body: string): Token {
  // Splits at the first bar only: the default can be empty or contain a bar itself.
  const bar = body.indexOf('|');
  if (bar === -1) return { path: body.split('.') };
  const text = body.slice(bar + 1);
  return { path: body.slice(0, bar).split('.'), fallback: fallbackOf(text) };
}

function fallbackOf(text: string): Fallback {
  switch (text) {
    case 'true':
    case 'false':
      return { text, value: text === 'true' };
    case 'nil':
    case 'null':
      return { text, value: null };
    default: {
      if (NUMBER_FORMAT.test(text) && Number.isFinite(Number(text))) return { text, value: Number(text) };
      const [, single, double] = QUOTED_TEXT.exec(text) ?? [];
      return { text, value: single ?? double ?? text };
    }
  }
}

function unescapeText(text: string, isDouble: boolean, offset: number): string {
  if (isDouble) {
    const interpolation = text.search(/(?<!\\)#\{/);
    if (interpolation !== -1) {
      throw new SyntaxProblem('#{...} is not supported: join texts with +, or use a token', offset + interpolation);
    }
  }
  return text.replaceAll(/\\([^])/g, (escapeSequence, character: string, index: number) => {
    // Between single quotes a backslash is literal, unless it escapes a quote or a backslash.
    if (!isDouble) return character === "'" || character === '\\' ? character : escapeSequence;
    const value = ESCAPE_CHARACTERS.get(character);
    if (value === undefined) throw new SyntaxProblem(`there is no \\${character} in a text`, offset + index);
    return value;
  });
}
