import { isAttributes, type Attributes } from './attributes.ts';
import { hasToken } from './tokens.ts';

const ENTITY_TOKEN = '{{';

/** What is wrong with a check in whose line for a shell stands what clients say of themselves (security S14). */
export const SHELL_TOKENS_WARNING =
  'has tokens in a line for the shell: whoever may change a client that it runs for may run commands there; ' +
  'write it as a list, the program and its arguments, which needs no shell';

/**
 * Where a check puts attributes of clients into a line that a shell reads: its command or that of a hook, the first.
 *
 * @param hasEntityTokens whether version 2 defines it, with tokens of its own
 */
export function shellTokensIn(check: Attributes, hasEntityTokens: boolean): readonly string[] | undefined {
  const isRisky = (command: unknown): boolean =>
    typeof command === 'string' && (hasToken(command) || (hasEntityTokens && command.includes(ENTITY_TOKEN)));
  // Of one that is a list, the text is only shown.
  const isList = isAttributes(check['mon']) && Array.isArray(check['mon']['command']);
  if (!isList && isRisky(check['command'])) return ['command'];
  const hooks: Attributes = isAttributes(check['hooks']) ? check['hooks'] : {};
  const name = Object.keys(hooks).find((key) => {
    const hook = hooks[key];
    return isAttributes(hook) && isRisky(hook['command']);
  });
  return name === undefined ? undefined : ['hooks', name, 'command'];
}
