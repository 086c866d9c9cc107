import type { Command } from '../../schemas/command.ts';
import { commandOf, commandText } from '../command-text.ts';
import type { Untranslatable } from './problem.ts';

/** A definition of version 2 with a command. */
interface V2Command {
  readonly command?: Command | null | undefined;
  readonly mon?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * A definition as it is stored and shown. Clients of version 2 know a command as one text only, and would lose a whole
 * list for another: a program with its arguments stands under `mon`, and its text where they look.
 */
export function withCommandText<Definition extends object>(definition: Definition & V2Command): Definition {
  const { command, mon } = definition;
  const list = typeof command === 'object' ? (command ?? undefined) : undefined;
  const own = list ?? listUnder(mon);
  if (own === undefined || (list === undefined && command)) return definition;
  return { ...definition, command: commandText(own), mon: { ...mon, command: own } };
}

/** What runs; a problem when the definition says two things. */
export function commandOfV2({ command, mon }: V2Command): Command | Untranslatable {
  const own = listUnder(mon);
  if (own === undefined) return command ?? '';
  if (command && commandText(command) !== commandText(own)) {
    return { problem: 'command: says something else than mon.command: change it there, or set mon.command to null' };
  }
  return own;
}

/** The command of a definition of the configuration, as version 2 shows it. */
export function shownCommand(command: Command): {
  readonly command: string;
  readonly mon?: { readonly command: readonly string[] };
} {
  const text = commandText(command);
  return typeof command === 'string' ? { command: text } : { command: text, mon: { command } };
}

function listUnder(mon: V2Command['mon']): readonly string[] | undefined {
  const own = commandOf(mon?.['command']);
  return typeof own === 'string' ? undefined : own;
}
