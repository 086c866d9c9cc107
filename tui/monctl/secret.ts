import { MonError } from '../../shared/errors.ts';
import type { CommandCall } from './command.ts';
import { readText } from './input.ts';
import { valueOption, type CommandOption } from './flags.ts';

/** Maximum length of a password or key, in characters. */
const SECRET_LENGTH_MAX = 4096;

/**
 * Defines the option that names the file with a secret. The secret itself must not be on the command line, because
 * other users of the host can read it there.
 */
export function secretOption(what: string): CommandOption {
  return valueOption('FILE', `read the ${what} from this file ("-": standard input); default: prompt`, {
    completes: 'file',
  });
}

/**
 * Reads a secret from a file, from standard input or from the user at the terminal.
 *
 * @param option name of the option that names the file
 * @param isNew true to ask twice at the terminal, because the secret is new
 * @throws MonError `invalid` when the secret is empty or too long, the two answers differ, or there is no terminal to
 * ask
 */
export async function readSecret(
  call: Pick<CommandCall, 'flags' | 'readInput' | 'ask'>,
  { option, what, isNew = false }: { readonly option: string; readonly what: string; readonly isNew?: boolean },
): Promise<string> {
  const file = call.flags.value(option);
  const input = file === undefined ? await promptForSecret(call, { option, what, isNew }) : await readText(call, file);
  // Editors add a line break at the end of a file, which is not part of the secret.
  const secret = input.replace(/\r?\n$/, '');
  if (secret === '') throw new MonError('invalid', `the ${what} is empty: nothing was changed`);
  if (secret.length > SECRET_LENGTH_MAX) throw new MonError('invalid', `the ${what} is too long`);
  return secret;
}

async function promptForSecret(
  { ask }: Pick<CommandCall, 'ask'>,
  { option, what, isNew }: { readonly option: string; readonly what: string; readonly isNew: boolean },
): Promise<string> {
  if (ask === undefined) {
    throw new MonError(
      'invalid',
      `there is no terminal to prompt for the ${what}: use --${option} FILE, or - for standard input`,
    );
  }
  const first = await ask(`${what}: `, true);
  if (isNew && (await ask(`${what}, again: `, true)) !== first) {
    throw new MonError('invalid', 'the two entries differ: nothing was changed. Enter the same secret twice.');
  }
  return first;
}
