import { escapeUnseen, safeText } from '../../shared/domain/terminal-text.ts';
import { MonError } from '../../shared/errors.ts';
import { cellWidth } from '../terminal/cells.ts';
import { toAscii } from '../text/theme.ts';
import type { TableLook } from './table.ts';

export const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Lines of a terminal that does not say how many it has. */
const ROWS_DEFAULT = 24;

/** Where a command says what it has to say. */
export interface Output {
  readonly format: OutputFormat;
  /** As the terminal is now: its width may change. */
  readonly look: TableLook;
  /** The result: `value` for programs, `text` for people. */
  show(value: unknown, text: () => string): Promise<void>;
  /** One of many results, where the first must not wait for the last: a line of JSON, a document of YAML. */
  showNext(value: unknown, text: () => string): Promise<void>;
  /** A piece of a long text as it is, where what comes next must wait until the reader keeps up. */
  flow(text: string): Promise<void>;
  /** A word to people beside the result, so never on standard output; none where a program reads. */
  note(text: string): void;
  /** What whoever runs the command must know, also where a program reads: on standard error. */
  warn(text: string): void;
  /** Draws over what was drawn before; `undefined` where there is no terminal to draw on. */
  readonly draw: ((lines: readonly string[]) => void) | undefined;
}

/** The part of `process.stdout` that is used. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** @returns false when the reader does not keep up */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  hasColors?(): boolean;
}

export interface OutputOptions {
  readonly format: string;
  readonly raw: boolean;
  /** False: tables have no line of column titles. */
  readonly headers?: boolean | undefined;
  /** True: terminals get text for people in ASCII. Pipes get it as it is, for programs. */
  readonly ascii?: boolean;
  /** What the text for people is called; default `table`. */
  readonly textFormat?: string | undefined;
}

/**
 * @param raw leave text from outside as it is
 * @throws MonError `invalid` for a format that does not exist, and for `raw` on a terminal
 */
export function openOutput(
  { format: formatName, raw, headers = true, ascii = false, textFormat = 'table' }: OutputOptions,
  stdout: OutputStream,
  stderr: OutputStream,
): Output {
  const names = OUTPUT_FORMATS.map((known) => (known === 'table' ? textFormat : known));
  const format = OUTPUT_FORMATS[names.indexOf(formatName)];
  if (format === undefined) {
    throw new MonError('invalid', `--output must be ${names.join(', ')}, not ${JSON.stringify(formatName)}`);
  }
  const isTerminal = stdout.isTTY === true;
  if (raw && isTerminal) {
    throw new MonError('invalid', '--raw works in pipes only: check output could control a terminal');
  }
  // Knows NO_COLOR, FORCE_COLOR and TERM=dumb.
  const color = isTerminal && stdout.hasColors?.() === true;
  const forPeople = (text: string, stream: OutputStream): string =>
    ascii && stream.isTTY === true ? toAscii(text, cellWidth) : text;
  const say = (text: string): void => {
    if (text !== '') stdout.write(`${text}\n`);
  };
  let isDrawn = false;
  const draw = (lines: readonly string[]): void => {
    // What stands on the screen moves up out of the way, to be found again above.
    const room = isDrawn ? '' : '\n'.repeat(stdout.rows ?? ROWS_DEFAULT);
    isDrawn = true;
    stdout.write(room + forPeople(frame(lines, stdout.rows ?? ROWS_DEFAULT), stdout));
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
      // There may be no last one: a reader that does not keep up would have them pile up here.
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
 * A screen full, drawn over the one before without a flicker: from the top, each line to its end, and what is left below
 * removed. Lines do not wrap meanwhile, for that would scroll.
 */
function frame(lines: readonly string[], rows: number): string {
  const surplus = lines.length - (rows - 1);
  const shown = surplus > 0 ? [...lines.slice(0, rows - 2), `... ${String(surplus + 1)} more lines`] : lines;
  return `\u001b[?7l\u001b[H${shown.map((line) => `${line}\u001b[K\r\n`).join('')}\u001b[J\u001b[?7h`;
}

const UNSEEN_OR_CONTROL = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/u;

/** On one line unless `indent` is given, and safe to show: what acts on a terminal is escaped. */
export function toJson(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, undefined, indent));
}

/** Safe to show: what acts on a terminal is escaped. */
export async function toYaml(value: unknown): Promise<string> {
  // Only who asks for YAML waits for it to load.
  const { stringify } = await import('yaml');
  // Readers of YAML 1.1 take a bare `yes` for a boolean and a bare date for a date.
  const options = { compat: 'yaml-1.1', lineWidth: 0 } as const;
  const text = withoutLineEnd(stringify(value, options));
  if (!UNSEEN_OR_CONTROL.test(text)) return text;
  // Escapes exist only between double quotes.
  return escapeUnseen(
    withoutLineEnd(stringify(value, { ...options, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' })),
  );
}

/** No more than that: spaces and empty lines before it are of the last value. */
function withoutLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Shows people, too, the result as YAML. */
export async function showYaml(output: Output, value: unknown): Promise<void> {
  const text = await toYaml(value);
  await output.show(value, () => text);
}
