import type { CommandLine } from '../schemas/command.ts';

/**
 * Formats a command as one line. A shell command stays as it is. The words of an argument list are quoted, so that a
 * shell would parse the same arguments from the line.
 */
export function commandText(command: CommandLine): string {
  if (typeof command === 'string') return command;
  // A shell would read a first word with `=` as a variable assignment.
  return command.map((word, at) => (at === 0 && word.includes('=') ? quoteForShell(word) : shellWord(word))).join(' ');
}

/** Formats a word for a POSIX shell, quoted if it contains special characters. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteForShell(text);
}

/** Quotes any text for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns the value of an attribute `command`: a shell command or a list of words; undefined if it is neither. */
export function commandOf(value: unknown): CommandLine | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((item) => typeof item === 'string') ? value : undefined;
}
