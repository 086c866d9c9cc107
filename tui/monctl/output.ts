import { escapeUnseen, safeText } from '../../shared/domain/terminal-text.ts';
import { MonError } from '../../shared/errors.ts';
import { cellWidth } from '../terminal/cells.ts';
import { toAscii } from '../text/theme.ts';
import { parseJsonPath, selectValues, type JsonPath } from './json-path.ts';
import type { TableStyle } from './table.ts';

/** The output formats of every command, and those of commands that print rows. */
export const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;
export const ROW_FORMATS = ['wide', 'name', 'csv'] as const;

/** Start of the format that prints the parts of the JSON value that a path selects: `jsonpath=.client.name`. */
export const JSON_PATH = 'jsonpath=';

export type OutputFormat = (typeof OUTPUT_FORMATS)[number] | (typeof ROW_FORMATS)[number] | 'jsonpath';

/** Assumed height, in lines, of a terminal that does not report its height. */
const ROWS_DEFAULT = 24;

/** Prints the result, notes and warnings of a command in the selected format. */
export interface Output {
  readonly format: OutputFormat;
  /**
   * Layout and colors of tables. Read this property anew for each table, because the width of the terminal may change.
   */
  readonly look: TableStyle;
  /** Prints the result of the command: `value` as JSON or YAML, or what `text` returns if the output is for people. */
  show(value: unknown, text: () => string): Promise<void>;
  /** Prints one of many results without waiting for the next: as text, as one line of JSON, or as a YAML document. */
  showNext(value: unknown, text: () => string): Promise<void>;
  /** Writes a chunk of a long output unchanged; resolves when the reader of standard output can accept more. */
  flow(text: string): Promise<void>;
  /**
   * Prints a note on standard error, but only if the output format is text: a program that reads JSON or YAML gets
   * none.
   */
  note(text: string): void;
  /** Prints a warning on standard error, in every output format. */
  warn(text: string): void;
  /**
   * Draws a full screen over the previous one; `undefined` if standard output is not a terminal or the format is not
   * text.
   */
  readonly draw: ((lines: readonly string[]) => void) | undefined;
}

/** The members of `process.stdout` and `process.stderr` that monctl uses. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /**
   * Writes a text to the stream.
   *
   * @returns `false` when the reader does not keep up: the caller should then wait for the `drain` event
   */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  hasColors?(): boolean;
}

export interface OutputOptions {
  readonly format: string;
  readonly raw: boolean;
  /** False to print tables without the line of column titles. Default: true. */
  readonly headers?: boolean | undefined;
  /** True to convert text for people to ASCII if it goes to a terminal; a pipe gets it unchanged. Default: false. */
  readonly ascii?: boolean;
  /** Value of `--output` that selects the text format of the command. Default: `table`. */
  readonly textFormat?: string | undefined;
  /** True if the command prints rows and supports the formats of `ROW_FORMATS`. Default: false. */
  readonly hasRows?: boolean;
}

/**
 * Returns the output of a command in the requested format.
 *
 * @param raw true to print text from clients and checks without escaping its control characters
 * @throws MonError `invalid` for an unknown format, and for `raw` on a terminal
 */
export function openOutput(
  { format: formatName, raw, headers = true, ascii = false, textFormat = 'table', hasRows = false }: OutputOptions,
  stdout: OutputStream,
  stderr: OutputStream,
): Output {
  const formats: readonly OutputFormat[] = hasRows ? [...OUTPUT_FORMATS, ...ROW_FORMATS] : OUTPUT_FORMATS;
  const names = formats.map((candidate) => (candidate === 'table' ? textFormat : candidate));
  const path = formatName.startsWith(JSON_PATH) ? parseJsonPath(formatName.slice(JSON_PATH.length)) : undefined;
  const format = path === undefined ? formats[names.indexOf(formatName)] : 'jsonpath';
  if (format === undefined) {
    const valid = [...names, `${JSON_PATH}PATH`].join(', ');
    throw new MonError('invalid', `--output must be ${valid}, not ${JSON.stringify(formatName)}`);
  }
  const isForPeople = format === 'table' || format === 'wide';
  const isTerminal = stdout.isTTY === true;
  if (raw && isTerminal) {
    throw new MonError(
      'invalid',
      '--raw cannot be used on a terminal, because raw check output can contain control sequences: use a pipe',
    );
  }
  // `hasColors` of Node.js respects NO_COLOR, FORCE_COLOR and TERM=dumb.
  const color = isTerminal && stdout.hasColors?.() === true;
  const forPeople = (text: string, stream: OutputStream): string =>
    ascii && stream.isTTY === true ? toAscii(text, cellWidth) : text;
  const say = (text: string): void => {
    if (text !== '') stdout.write(`${text}\n`);
  };
  /** Formats a value; without `indent`, as one of many values. */
  const formatted = async (value: unknown, text: () => string, indent?: number): Promise<string> => {
    if (path !== undefined) return pathText(value, path, raw);
    if (format === 'json') return toJson(value, indent);
    if (format === 'yaml') return `${indent === undefined ? '---\n' : ''}${await toYaml(value)}`;
    return isForPeople ? forPeople(text(), stdout) : text();
  };
  let isDrawn = false;
  const draw = (lines: readonly string[]): void => {
    // Blank lines before the first frame scroll the previous content of the screen up, so that the user can find it
    // again.
    const blankLines = isDrawn ? '' : '\n'.repeat(stdout.rows ?? ROWS_DEFAULT);
    isDrawn = true;
    stdout.write(blankLines + forPeople(frameText(lines, stdout.rows ?? ROWS_DEFAULT), stdout));
  };
  const flow = (text: string): Promise<void> => {
    if (stdout.write(text) !== false || stdout.once === undefined) return Promise.resolve();
    return new Promise((resolve) => void stdout.once?.('drain', resolve));
  };
  const warn = (text: string): void => void stderr.write(`${forPeople(safeText(text), stderr)}\n`);
  return {
    format,
    get look() {
      return {
        width: isTerminal && format !== 'wide' ? stdout.columns : undefined,
        color,
        raw,
        ...(headers ? {} : { headers }),
      };
    },
    async show(value, text) {
      say(await formatted(value, text, 2));
    },
    async showNext(value, text) {
      const said = await formatted(value, text);
      // Wait for the reader: the number of results is unlimited, and they would pile up in memory if the reader is
      // slow.
      if (said !== '') await flow(`${said}\n`);
    },
    flow,
    draw: isTerminal && isForPeople ? draw : undefined,
    note(text) {
      if (isForPeople) warn(text);
    },
    warn,
  };
}

/**
 * Returns the text that draws `lines` over the previous frame without flicker: each line erases the end of its row, and
 * the rows below the last line are erased. Line wrap is off meanwhile, because a wrapped line would scroll the screen.
 */
function frameText(lines: readonly string[], rows: number): string {
  const surplus = lines.length - (rows - 1);
  const shown = surplus > 0 ? [...lines.slice(0, rows - 2), `... ${String(surplus + 1)} more lines`] : lines;
  return `\u001b[?7l\u001b[H${shown.map((line) => `${line}\u001b[K\r\n`).join('')}\u001b[J\u001b[?7h`;
}

/** Returns what a path selects, one value per line: a text as it is, any other value as JSON. */
function pathText(value: unknown, path: JsonPath, isRaw: boolean): string {
  // The path sees the value as JSON output shows it, without attributes that are undefined.
  const plain: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  return selectValues(plain, path)
    .map((one) => (typeof one === 'string' ? (isRaw ? one : safeText(one)) : toJson(one)))
    .join('\n');
}

const UNSEEN_OR_CONTROL = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/u;

/** Serializes a value as JSON, on one line unless `indent` is given. Characters that act on a terminal are escaped. */
export function toJson(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, undefined, indent));
}

/** Serializes a value as YAML. Characters that act on a terminal are escaped. */
export async function toYaml(value: unknown): Promise<string> {
  // The YAML library is only loaded if it is needed.
  const { stringify } = await import('yaml');
  // YAML 1.1 parsers read an unquoted `yes` as a boolean and an unquoted date as a date: `compat` quotes such texts.
  const options = { compat: 'yaml-1.1', lineWidth: 0 } as const;
  const text = withoutLineEnd(stringify(value, options));
  if (!UNSEEN_OR_CONTROL.test(text)) return text;
  // YAML supports escape sequences only in double-quoted strings.
  return escapeUnseen(
    withoutLineEnd(stringify(value, { ...options, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' })),
  );
}

/** Removes only the final line break: spaces and empty lines before it belong to the last value. */
function withoutLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Prints a result whose text for people is YAML too; with `--output json` it is printed as JSON. */
export async function showYaml(output: Output, value: unknown): Promise<void> {
  const text = await toYaml(value);
  await output.show(value, () => text);
}
