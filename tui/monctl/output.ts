import { safeText } from '../../shared/domain/terminal-text.ts';
import { MonError } from '../../shared/errors.ts';
import type { TableLook } from './table.ts';

export const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Where a command says what it has to say. */
export interface Output {
  readonly look: TableLook;
  /** The result: `value` for programs, `text` for people. */
  show(value: unknown, text: () => string): Promise<void>;
  /** A word to people beside the result, so never on standard output. */
  note(text: string): void;
}

/** The part of `process.stdout` that is used. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
  hasColors?(): boolean;
}

/**
 * @param raw leave text from outside as it is
 * @throws MonError `invalid` for a format that does not exist, and for `raw` on a terminal
 */
export function openOutput(
  { format, raw }: { readonly format: string; readonly raw: boolean },
  stdout: OutputStream,
  stderr: OutputStream,
): Output {
  if (!isOutputFormat(format)) {
    throw new MonError('invalid', `--output must be ${OUTPUT_FORMATS.join(', ')}, not ${JSON.stringify(format)}`);
  }
  const isTerminal = stdout.isTTY === true;
  if (raw && isTerminal) {
    throw new MonError('invalid', '--raw is for pipes: on a terminal the output of a check could take control of it');
  }
  return {
    look: {
      width: isTerminal ? stdout.columns : undefined,
      // Knows NO_COLOR, FORCE_COLOR and TERM=dumb.
      color: isTerminal && stdout.hasColors?.() === true,
      raw,
    },
    async show(value, text) {
      const shown = format === 'table' ? text() : format === 'json' ? toJson(value) : await toYaml(value);
      if (shown !== '') stdout.write(`${shown}\n`);
    },
    note(text) {
      if (format === 'table') stderr.write(`${safeText(text)}\n`);
    },
  };
}

function isOutputFormat(format: string): format is OutputFormat {
  return OUTPUT_FORMATS.some((known) => known === format);
}

/**
 * Characters that neither JSON nor YAML has to escape but that act on a terminal or cannot be seen. Both formats allow
 * the escape, so the value stays the same.
 */
const UNSEEN = /[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu;
const UNSEEN_OR_CONTROL = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/u;

function toJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, undefined, 2));
}

async function toYaml(value: unknown): Promise<string> {
  // Only who asks for YAML waits for it to load.
  const { stringify } = await import('yaml');
  // Readers of YAML 1.1 take a bare `yes` for a boolean and a bare date for a date.
  const options = { compat: 'yaml-1.1', lineWidth: 0 } as const;
  const text = stringify(value, options).trimEnd();
  if (!UNSEEN_OR_CONTROL.test(text)) return text;
  // Escapes exist only between double quotes.
  return escapeUnseen(
    stringify(value, { ...options, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' }).trimEnd(),
  );
}

function escapeUnseen(text: string): string {
  return text.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
