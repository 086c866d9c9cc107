import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '../..');

/** A call in the source code that logs a record of the level warn or error. */
export interface LogCall {
  readonly level: 'warn' | 'error';
  /** Path of the source file in the repository. */
  readonly file: string;
  /** The messages that the call names as literals, with `...` for computed parts; empty if it names none. */
  readonly messages: readonly string[];
}

/** Matches a call that logs, and a property with the message that shared code logs after a failure. */
const CALL = /\.(?<level>warn|error)\(|\b(?:failure|failureMessage):(?=\s*(?:['"`]|[A-Z_]+,))/g;
const LITERAL = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** Returns all calls in the backend and the agent that log a warning or an error, in the order of their files. */
export function logCalls(): readonly LogCall[] {
  return globSync('daemon/**/*.ts', { cwd: REPOSITORY, exclude: ['**/*.d.ts'] })
    .toSorted()
    .flatMap((file) => callsIn(file, readFileSync(join(REPOSITORY, file), 'utf8')));
}

/** Returns the calls in a source file that log a warning or an error. */
export function callsIn(file: string, source: string): readonly LogCall[] {
  const text = source.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
  return Array.from(text.matchAll(CALL), (match) => {
    const { groups = {}, index } = match;
    const callArguments = argumentsAt(text, index + match[0].length);
    // The message is the argument after the fields. A property has no fields.
    const [message = ''] = groups['level'] === undefined ? callArguments : callArguments.slice(1);
    return { level: groups['level'] === 'error' ? 'error' : 'warn', file, messages: literalsIn(message, text) };
  });
}

/** Returns the source texts of the arguments, or of the property values, from a position on. */
function argumentsAt(text: string, start: number): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < text.length && depth >= 0; at++) {
    const character = text[at] ?? '';
    if (`'"\``.includes(character)) at = endOfLiteral(text, at);
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    if (depth > 0 || (depth === 0 && character !== ',')) continue;
    parts.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return parts.filter((argument) => argument !== '');
}

/** Returns the position of the last character of a literal. Templates in templates occur only as plain literals. */
function endOfLiteral(text: string, start: number): number {
  const quote = text[start];
  let at = start + 1;
  for (; at < text.length && text[at] !== quote; at++) if (text[at] === '\\') at++;
  return at;
}

/** Returns the literals of an expression. A constant of the same file counts as its literal. */
function literalsIn(expression: string, text: string): readonly string[] {
  if (/^[A-Z_\d]+$/.test(expression)) {
    const [, value = ''] = new RegExp(`const ${expression} =\\s*([^;]+);`).exec(text) ?? [];
    return value === '' ? [] : literalsIn(value, text);
  }
  const joined = expression.replaceAll(/(['"`])\s*\+\s*\1/g, '');
  return Array.from(joined.matchAll(LITERAL), ([literal]) => literal.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, '...'));
}
