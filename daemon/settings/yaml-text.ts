import { LineCounter, parseDocument, visit, type YAMLParseError, type YAMLWarning } from 'yaml';
import { errorMessage } from '../../shared/errors.ts';
import { DEPTH_MAX, FORBIDDEN_NAMES } from '../../shared/domain/json-text.ts';

/** A syntax error. `line` and `column` count from 1; `message` states the remedy. */
export class YamlTextError extends Error {
  override readonly name = 'YamlTextError';
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** The maximum number of aliases: more than authors need, and too few to make a document much larger. */
const ALIASES_MAX = 100;

/**
 * Parses YAML 1.2, limited to values that JSON can express: no tags, no names that are not strings, no numbers that
 * JSON lacks, one document, a limited number of aliases. Otherwise as strict as `parseJsonText`.
 *
 * @throws YamlTextError
 */
export function parseYamlText(text: string): unknown {
  const lines = new LineCounter();
  const fail = (message: string, offset = 0): never => {
    const { line, col } = lines.linePos(offset);
    throw new YamlTextError(message, Math.max(1, line), Math.max(1, col));
  };
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    // Otherwise `!!binary`, `!!set` and others would yield values that JSON does not have.
    resolveKnownTags: false,
    stringKeys: true,
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'error',
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) fail(syntaxErrorRemedy(problem), problem.pos[0]);

  visit(document, {
    Pair: (_key, { key }) => {
      const name = scalarOf(key);
      if (typeof name?.value === 'string' && FORBIDDEN_NAMES.has(name.value)) {
        fail(`the field name "${name.value}" is not allowed`, name.range?.[0]);
      }
    },
    Scalar: (_key, { value, range }) => {
      if (typeof value !== 'number') return;
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
        fail('this number is too large: put it in double quotes', range?.[0]);
      }
    },
    Alias: (_key, alias, path) => {
      const target = alias.resolve(document);
      if (target === undefined) {
        fail('this alias has no anchor before it: put a text that begins with "*" in double quotes', alias.range?.[0]);
      } else if (path.includes(target)) {
        fail('this alias refers to a value that contains it: remove it', alias.range?.[0]);
      }
    },
  });
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    fail(
      error instanceof ReferenceError ? 'there are too many aliases: write their values instead' : errorMessage(error),
    );
  }
  // The depth includes aliases, each of which stands for the value it refers to.
  if (isDeeper(value, DEPTH_MAX)) fail(`nested deeper than ${String(DEPTH_MAX)} levels`);
  return value;
}

/**
 * Returns the remedy for a syntax error, without the text of the file. That text can be a password without quotes, and
 * errors appear in the log and in the API.
 */
function syntaxErrorRemedy({ code, message }: YAMLParseError | YAMLWarning): string {
  switch (code) {
    case 'BAD_DIRECTIVE':
      return 'a line that begins with "%" is a directive: put a text in double quotes';
    case 'BAD_DQ_ESCAPE':
      return 'this escape is unknown: write "\\\\" for a backslash';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'there is a second ":" here: put a text that contains one in double quotes, and another name on its own line';
    case 'DUPLICATE_KEY':
      return 'this name is defined twice: remove one';
    case 'MULTIPLE_DOCS':
      return 'a file contains only one document: remove what follows the "---"';
    case 'NON_STRING_KEY':
      return 'a name must be a text: put it in double quotes';
    case 'TAB_AS_INDENT':
      return 'indent with spaces: remove the tab';
    case 'TAG_RESOLVE_FAILED':
      return 'tags are not allowed: remove what begins with "!"';
    case 'UNEXPECTED_TOKEN':
      return 'no value is allowed here: put a text in double quotes, or on the lines below';
    default:
      return message;
  }
}

function scalarOf(node: unknown): { readonly value: unknown; readonly range?: readonly number[] | null } | undefined {
  return typeof node === 'object' && node !== null && 'value' in node ? node : undefined;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}
