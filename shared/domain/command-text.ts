import type { Command } from '../schemas/command.ts';

/** A command as one line: that of the shell as it is, and of others each argument so that a shell would read it back. */
export function commandText(command: Command): string {
  if (typeof command === 'string') return command;
  // As the first word, one with this sign in it would set a variable.
  return command.map((word, at) => (at === 0 && word.includes('=') ? quoted(word) : shellWord(word))).join(' ');
}

/** A word of a POSIX shell: in quotes unless it means nothing to any. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text);
}

/** In quotes for a POSIX shell, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command of a definition, result or request; undefined when it is none. */
export function commandOf(value: unknown): Command | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((item) => typeof item === 'string') ? value : undefined;
}
