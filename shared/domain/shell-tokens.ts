import { isAttributes, type Attributes } from './attributes.ts';
import { hasToken } from './tokens.ts';

const ENTITY_TOKEN = '{{';

/** Warning about a check whose tokens insert attributes of clients into a shell command (security S14). */
export const SHELL_TOKENS_WARNING =
  'has tokens in a shell command: everyone who may change a client can run commands where it runs; ' +
  'write the command as a list of the program and its arguments, which needs no shell';

/**
 * Returns the path of the first shell command of a check that contains tokens: its own command or that of a hook;
 * undefined if there is none.
 *
 * @param hasEntityTokens whether the check was defined by the v2 API, whose tokens begin with `{{`
 */
export function findShellTokens(check: Attributes, hasEntityTokens: boolean): readonly string[] | undefined {
  const isRisky = (command: unknown): boolean =>
    typeof command === 'string' && (hasToken(command) || (hasEntityTokens && command.includes(ENTITY_TOKEN)));
  // If `mon.command` is a list, that command runs, and `command` is only for display.
  const isList = isAttributes(check['mon']) && Array.isArray(check['mon']['command']);
  if (!isList && isRisky(check['command'])) return ['command'];
  const hooks: Attributes = isAttributes(check['hooks']) ? check['hooks'] : {};
  const name = Object.keys(hooks).find((key) => {
    const hook = hooks[key];
    return isAttributes(hook) && isRisky(hook['command']);
  });
  return name === undefined ? undefined : ['hooks', name, 'command'];
}
