import { MonError } from '../../shared/errors.ts';
import type { Call } from './command.ts';
import { readText } from './input.ts';
import { takes, type CommandOption } from './flags.ts';

/** Maximum length of a password or key. */
const SECRET_LENGTH_MAX = 4096;

/**
 * Returns the option for the source of a secret. The command line itself must not contain it, because other
 * users can read it.
 */
export function secretOption(what: string): CommandOption {
  return takes('FILE', `read the ${what} from this file ("-": standard input); default: prompt`, {
    completes: 'file',
  });
}

/**
 * Reads a secret from a file, from standard input or from the user at the terminal.
 *
 * @param option name of the option that names the file
 * @param isNew true to ask twice
 * @throws MonError `invalid` when there is none
 */
export async function readSecret(
  call: Pick<Call, 'flags' | 'readInput' | 'ask'>,
  { option, what, isNew = false }: { readonly option: string; readonly what: string; readonly isNew?: boolean },
): Promise<string> {
  const file = call.flags.value(option);
  const input = file === undefined ? await promptForSecret(call, { option, what, isNew }) : await readText(call, file);
  // Editors add the line end.
  const secret = input.replace(/\r?\n$/, '');
  if (secret === '') throw new MonError('invalid', `the ${what} is empty: nothing was changed`);
  if (secret.length > SECRET_LENGTH_MAX) throw new MonError('invalid', `the ${what} is too long`);
  return secret;
}

async function promptForSecret(
  { ask }: Pick<Call, 'ask'>,
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
