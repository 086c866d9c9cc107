import { isAttributes, type Attributes } from './attributes.ts';
import { hasToken } from './tokens.ts';

const ENTITY_TOKEN = '{{';

/** Warning about a check that inserts data of clients into a shell command (security S14). */
export const SHELL_TOKENS_WARNING =
  'has tokens in a shell command: everyone who may change a client can run commands where it runs; ' +
  'write the command as a list of the program and its arguments, which needs no shell';

/**
 * Returns the path of the first shell command with tokens for attributes of clients: that of the check or of a hook.
 *
 * @param hasEntityTokens whether the v2 API defined the check, which then has its own tokens
 */
export function shellTokensIn(check: Attributes, hasEntityTokens: boolean): readonly string[] | undefined {
  const isRisky = (command: unknown): boolean =>
    typeof command === 'string' && (hasToken(command) || (hasEntityTokens && command.includes(ENTITY_TOKEN)));
  // For a command that is a list, this text is only for display.
  const isList = isAttributes(check['mon']) && Array.isArray(check['mon']['command']);
  if (!isList && isRisky(check['command'])) return ['command'];
  const hooks: Attributes = isAttributes(check['hooks']) ? check['hooks'] : {};
  const name = Object.keys(hooks).find((key) => {
    const hook = hooks[key];
    return isAttributes(hook) && isRisky(hook['command']);
  });
  return name === undefined ? undefined : ['hooks', name, 'command'];
}
