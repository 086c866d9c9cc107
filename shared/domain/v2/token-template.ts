import { readAttributePath, attributeText, isAttributes, type Attributes } from '../attributes.ts';

/*
 * The tokens between {{ and }} in v2 checks, which Sensu Go runs as Go templates. The supported features are paths,
 * texts, numbers, parentheses, pipes, and the functions `default`, `or`, `and`, `index`, `print` and `assetPath`.
 */

/**
 * Matches a quoted text in a token. Single quotes are accepted too: many published checks use them, although Sensu Go
 * agents reject them.
 */
const TEXT_SOURCE = String.raw`"(?:[^"\\\n]|\\["\\])*"|\x60[^\x60]*\x60|'[^'\n]*'`;

const PART_TOKEN = new RegExp(
  String.raw`\s*(?:(?<end>(?:\s-)?\}\})|(?<path>(?:\.[A-Za-z_]\w*)+)|(?<text>${TEXT_SOURCE})|(?<number>-?\d+(?:\.\d+)?)(?!\w)` +
    String.raw`|(?<name>[A-Za-z]\w*)|(?<sign>[|()]))`,
  'y',
);

const COMMENT_TOKEN = /\s*\/\*(?:[^*]|\*(?!\/))*\*\/\s*(?:-?\}\})/y;

/** Maximum nesting of parentheses. */
const DEPTH_MAX = 10;

type Operand =
  | { readonly kind: 'path'; readonly path: readonly string[] }
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'pipeline'; readonly commands: readonly Command[] };

interface Command {
  /** Name of the function that the command calls; undefined if the command is a single operand. */
  readonly name: string | undefined;
  readonly operands: readonly Operand[];
}

/** A parsed token such as `{{ .name | default "x" }}`; `end` is the position after its closing braces. */
export interface TokenTemplate {
  readonly commands: readonly Command[];
  readonly end: number;
  /** Whether the white space before the token is removed (`{{- `); `trimsAfter` does so for that after it (` -}}`). */
  readonly trimsBefore: boolean;
  readonly trimsAfter: boolean;
}

/** Parses the token whose opening braces end at `start`; returns undefined if it has a syntax error. */
export function parseTokenTemplate(text: string, start: number): TokenTemplate | undefined {
  const trimsBefore = /^-\s/.test(text.slice(start, start + 2));
  const reader = new TemplateReader(text, trimsBefore ? start + 1 : start);
  const end = reader.comment();
  const commands = end === undefined ? reader.pipeline('end', 0) : [];
  if (commands === undefined) return undefined;
  const at = end ?? reader.at;
  return { commands, end: at, trimsBefore, trimsAfter: text.startsWith('-}}', at - 3) };
}

/** Returns the text that replaces the token; undefined if the token has no value. */
export function evaluateTokenTemplate({ commands }: TokenTemplate, entity: Attributes): string | undefined {
  if (commands.length === 0) return '';
  const value = valueOfPipeline(commands, entity);
  return isMissing(value) ? undefined : attributeText(value);
}

class TemplateReader {
  at: number;
  readonly #text: string;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  /** Returns the position after a template token (`{{ }}`) that contains only a comment; undefined for other tokens. */
  comment(): number | undefined {
    COMMENT_TOKEN.lastIndex = this.at;
    return COMMENT_TOKEN.test(this.#text) ? COMMENT_TOKEN.lastIndex : undefined;
  }

  /**
   * Parses commands that are joined by pipes (`|`), up to the closing braces or parenthesis; returns undefined if there
   * is a syntax error.
   */
  pipeline(closing: 'end' | ')', depth: number): readonly Command[] | undefined {
    const commands: Command[] = [];
    let name: string | undefined;
    let operands: Operand[] = [];
    const finish = (): boolean => {
      const isComplete = name === undefined ? operands.length === 1 : FUNCTIONS_BY_NAME.has(name);
      commands.push({ name, operands });
      name = undefined;
      operands = [];
      // A plain value cannot receive the output of a pipe.
      return isComplete && (commands.length === 1 || commands.at(-1)?.name !== undefined);
    };
    for (let part = this.#next(); part !== undefined; part = this.#next()) {
      if ((closing === 'end' && part['end'] !== undefined) || part['sign'] === closing) {
        return finish() ? commands : undefined;
      }
      if (part['sign'] === '|') {
        if (!finish()) return undefined;
      } else if (part['name'] !== undefined) {
        if (name !== undefined || operands.length > 0) return undefined;
        ({ name } = part);
      } else {
        const operand = this.#operand(part, depth);
        if (operand === undefined) return undefined;
        operands.push(operand);
      }
    }
    return undefined;
  }

  #operand(part: Readonly<Record<string, string | undefined>>, depth: number): Operand | undefined {
    const { path, text, number, sign } = part;
    if (path !== undefined) return { kind: 'path', path: path.slice(1).split('.') };
    if (text !== undefined) return { kind: 'value', value: unquoteText(text) };
    if (number !== undefined) return { kind: 'value', value: number };
    const commands = sign === '(' && depth < DEPTH_MAX ? this.pipeline(')', depth + 1) : undefined;
    return commands && { kind: 'pipeline', commands };
  }

  #next(): Readonly<Record<string, string | undefined>> | undefined {
    PART_TOKEN.lastIndex = this.at;
    const groups = PART_TOKEN.exec(this.#text)?.groups;
    this.at = PART_TOKEN.lastIndex;
    return groups;
  }
}

function unquoteText(text: string): string {
  const inner = text.slice(1, -1);
  return text.startsWith('"') ? inner.replace(/\\(["\\])/g, '$1') : inner;
}

function valueOfPipeline(commands: readonly Command[], entity: Attributes): unknown {
  let piped: readonly unknown[] = [];
  for (const { name, operands } of commands) {
    const values = [...operands.map((operand) => valueOf(operand, entity)), ...piped];
    piped = [name === undefined ? values[0] : FUNCTIONS_BY_NAME.get(name)?.(values)];
  }
  return piped[0];
}

function valueOf(operand: Operand, entity: Attributes): unknown {
  switch (operand.kind) {
    case 'path':
      return readAttributePath(entity, operand.path);
    case 'value':
      return operand.value;
    default:
      return valueOfPipeline(operand.commands, entity);
  }
}

/** The functions that tokens can call, as in Sensu Go. A value from a pipe is the last argument. */
const FUNCTIONS_BY_NAME: ReadonlyMap<string, (values: readonly unknown[]) => unknown> = new Map([
  ['default', ([fallback, value]) => (isMissing(value) ? fallback : value)],
  ['or', (values) => values.find((value) => isTruthy(value)) ?? values.at(-1)],
  [
    'and',
    (values) => (values.every((value) => isTruthy(value)) ? values.at(-1) : values.find((value) => !isTruthy(value))),
  ],
  ['index', ([record, ...keys]) => keys.reduce(memberOf, record)],
  ['print', (values) => (values.some((value) => isMissing(value)) ? undefined : values.map(attributeText).join(''))],
  ['assetPath', ([name]) => (typeof name === 'string' ? assetPath(name) : undefined)],
] as const satisfies readonly (readonly [string, (values: readonly unknown[]) => unknown])[]);

function memberOf(record: unknown, key: unknown): unknown {
  if (Array.isArray(record)) return record[Number(key)] as unknown;
  return isAttributes(record) && typeof key === 'string' ? readAttributePath(record, [key]) : undefined;
}

/** Whether a value counts as missing: null, undefined, and objects, because they cannot be formatted as text. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || isAttributes(value);
}

function isTruthy(value: unknown): boolean {
  if (isMissing(value) || value === '' || value === 0 || value === false) return false;
  return !Array.isArray(value) || value.length > 0;
}

/** Returns the name of the environment variable that contains the directory of an asset on an agent. */
function assetPath(name: string): string {
  return `${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_PATH`;
}
