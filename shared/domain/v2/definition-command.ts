import type { CommandLine } from '../../schemas/command.ts';
import { commandOf, commandText } from '../command-text.ts';
import type { UntranslatableObject } from './problem.ts';

/** An object of the v2 API with a command, such as a check or a hook. */
interface V2Command {
  readonly command?: CommandLine | null | undefined;
  readonly mon?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * Returns a v2 object in the form that is stored and returned by the API. v2 clients expect a command to be text; they
 * cannot parse a response with a list. So a command that is a list is stored in `mon.command`, and formatted as text in
 * `command`.
 */
export function withCommandText<Definition extends object>(definition: Definition & V2Command): Definition {
  const { command, mon } = definition;
  const list = typeof command === 'object' ? (command ?? undefined) : undefined;
  const own = list ?? ownCommandList(mon);
  if (own === undefined || (list === undefined && command)) return definition;
  return { ...definition, command: commandText(own), mon: { ...mon, command: own } };
}

/** Returns the command to run, or the problem if `command` and `mon.command` contradict each other. */
export function commandOfV2({ command, mon }: V2Command): CommandLine | UntranslatableObject {
  const own = ownCommandList(mon);
  if (own === undefined) return command ?? '';
  if (command && commandText(command) !== commandText(own)) {
    return { problem: 'command: differs from mon.command: change both, or set mon.command to null' };
  }
  return own;
}

/** Converts the command of a definition from a configuration file to its v2 form: `command`, and `mon` for a list. */
export function shownCommand(command: CommandLine): {
  readonly command: string;
  readonly mon?: { readonly command: readonly string[] };
} {
  const text = commandText(command);
  return typeof command === 'string' ? { command: text } : { command: text, mon: { command } };
}

function ownCommandList(mon: V2Command['mon']): readonly string[] | undefined {
  const own = commandOf(mon?.['command']);
  return typeof own === 'string' ? undefined : own;
}
