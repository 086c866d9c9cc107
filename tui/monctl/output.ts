import { escapeUnseen, safeText } from '../../shared/domain/terminal-text.ts';
import { MonError } from '../../shared/errors.ts';
import { cellWidth } from '../terminal/cells.ts';
import { toAscii } from '../text/theme.ts';
import type { TableLook } from './table.ts';

export const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Lines of a terminal that does not report its height. */
const ROWS_DEFAULT = 24;

/** The output of a command. */
export interface Output {
  readonly format: OutputFormat;
  /** The current look of the terminal, whose width may change. */
  readonly look: TableLook;
  /** Shows the result: `value` for programs, `text` for people. */
  show(value: unknown, text: () => string): Promise<void>;
  /** Shows one of many results at once: as a line of JSON or a document of YAML. */
  showNext(value: unknown, text: () => string): Promise<void>;
  /** Writes a part of a long text unchanged; resolves when the reader can accept more. */
  flow(text: string): Promise<void>;
  /** Prints a note for people, on standard error. Programs get none. */
  note(text: string): void;
  /** Prints a warning on standard error, also if a program reads the output. */
  warn(text: string): void;
  /** Draws over the previous frame; `undefined` without a terminal. */
  readonly draw: ((lines: readonly string[]) => void) | undefined;
}

/** The used part of `process.stdout`. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /**
   * Writes a text.
   *
   * @returns `false` when the reader does not keep up
   */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  hasColors?(): boolean;
}

export interface OutputOptions {
  readonly format: string;
  readonly raw: boolean;
  /** False: tables have no line of column titles. */
  readonly headers?: boolean | undefined;
  /** True: terminals get text for people in ASCII. Pipes get it unchanged, for programs. */
  readonly ascii?: boolean;
  /** The name of the format for people; default `table`. */
  readonly textFormat?: string | undefined;
}

/**
 * Opens the output.
 *
 * @param raw true to leave text from outside unchanged
 * @throws MonError `invalid` for an unknown format, and for `raw` on a terminal
 */
export function openOutput(
  { format: formatName, raw, headers = true, ascii = false, textFormat = 'table' }: OutputOptions,
  stdout: OutputStream,
  stderr: OutputStream,
): Output {
  const names = OUTPUT_FORMATS.map((candidate) => (candidate === 'table' ? textFormat : candidate));
  const format = OUTPUT_FORMATS[names.indexOf(formatName)];
  if (format === undefined) {
    throw new MonError('invalid', `--output must be ${names.join(', ')}, not ${JSON.stringify(formatName)}`);
  }
  const isTerminal = stdout.isTTY === true;
  if (raw && isTerminal) {
    throw new MonError(
      'invalid',
      '--raw cannot be used on a terminal, because raw check output can contain control sequences: use a pipe',
    );
  }
  // `hasColors` respects NO_COLOR, FORCE_COLOR and TERM=dumb.
  const color = isTerminal && stdout.hasColors?.() === true;
  const forPeople = (text: string, stream: OutputStream): string =>
    ascii && stream.isTTY === true ? toAscii(text, cellWidth) : text;
  const say = (text: string): void => {
    if (text !== '') stdout.write(`${text}\n`);
  };
  let isDrawn = false;
  const draw = (lines: readonly string[]): void => {
    // The previous content of the screen scrolls up, so that the user can find it again.
    const blankLines = isDrawn ? '' : '\n'.repeat(stdout.rows ?? ROWS_DEFAULT);
    isDrawn = true;
    stdout.write(blankLines + forPeople(frame(lines, stdout.rows ?? ROWS_DEFAULT), stdout));
  };
  const flow = (text: string): Promise<void> => {
    if (stdout.write(text) !== false || stdout.once === undefined) return Promise.resolve();
    return new Promise((resolve) => void stdout.once?.('drain', resolve));
  };
  const warn = (text: string): void => void stderr.write(`${forPeople(safeText(text), stderr)}\n`);
  return {
    format,
    get look() {
      return { width: isTerminal ? stdout.columns : undefined, color, raw, ...(headers ? {} : { headers }) };
    },
    async show(value, text) {
      say(format === 'table' ? forPeople(text(), stdout) : format === 'json' ? toJson(value, 2) : await toYaml(value));
    },
    async showNext(value, text) {
      const said =
        format === 'table'
          ? forPeople(text(), stdout)
          : format === 'json'
            ? toJson(value)
            : `---\n${await toYaml(value)}`;
      // Waits for the reader: there may be no last result, and a slow reader would make them pile up in memory.
      if (said !== '') await flow(`${said}\n`);
    },
    flow,
    draw: isTerminal && format === 'table' ? draw : undefined,
    note(text) {
      if (format === 'table') warn(text);
    },
    warn,
  };
}

/**
 * Returns a full screen that is drawn over the previous one without flicker: each line clears its end, and the
 * rest is removed. Lines do not wrap meanwhile, because that would scroll.
 */
function frame(lines: readonly string[], rows: number): string {
  const surplus = lines.length - (rows - 1);
  const shown = surplus > 0 ? [...lines.slice(0, rows - 2), `... ${String(surplus + 1)} more lines`] : lines;
  return `\u001b[?7l\u001b[H${shown.map((line) => `${line}\u001b[K\r\n`).join('')}\u001b[J\u001b[?7h`;
}

const UNSEEN_OR_CONTROL = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/u;

/** Returns JSON on one line unless `indent` is given. Characters that act on a terminal are escaped. */
export function toJson(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, undefined, indent));
}

/** Returns YAML. Characters that act on a terminal are escaped. */
export async function toYaml(value: unknown): Promise<string> {
  // The YAML library is only loaded if it is needed.
  const { stringify } = await import('yaml');
  // YAML 1.1 parsers read an unquoted `yes` as a boolean and an unquoted date as a date.
  const options = { compat: 'yaml-1.1', lineWidth: 0 } as const;
  const text = withoutLineEnd(stringify(value, options));
  if (!UNSEEN_OR_CONTROL.test(text)) return text;
  // YAML only supports escapes between double quotes.
  return escapeUnseen(
    withoutLineEnd(stringify(value, { ...options, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' })),
  );
}

/** Removes only the final line end: spaces and empty lines before it belong to the last value. */
function withoutLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Shows the result as YAML, also to people. */
export async function showYaml(output: Output, value: unknown): Promise<void> {
  const text = await toYaml(value);
  await output.show(value, () => text);
}
