import type { CheckRequest } from '../../schemas/agent.ts';
import type { Client } from '../../schemas/client.ts';
import { isAttributes } from '../attributes.ts';
import { commandOf, commandText } from '../command-text.ts';
import { substituteTokens } from '../tokens.ts';
import { substituteEntityTokens, tokenEntityOf } from './tokens.ts';

/** The characters at the start of a token of Sensu Go agents, such as `{{ .name }}`. */
const OPENING_BRACES = '{{';

/** A token that Sensu Go agents replace by the text `{{`. Its backquotes need no escape in JSON. */
const ESCAPED_BRACES = '{{`{{`}}';

type AgentCommand = { readonly line: string } | { readonly unmatched: readonly string[] } | { readonly unfit: string };

/**
 * Returns the command of a check for Sensu Go agents, which support only shell commands. In a shell command, the
 * backend replaces the `:::` tokens and leaves the `{{ }}` tokens to the agent. If the command is a list of arguments,
 * the backend replaces all tokens before it quotes the arguments, so that no value becomes more than one argument.
 *
 * @returns the shell command as `line`, the tokens without a value as `unmatched`, or as `unfit` the reason why the
 *   arguments cannot be quoted for the shell of the client
 */
export function agentCommand(
  { command, entity_tokens: hasEntityTokens }: Pick<CheckRequest, 'command' | 'entity_tokens'>,
  namespace: string,
  client: Client | undefined,
): AgentCommand {
  if (typeof command === 'string' || command === undefined) {
    const { value, unmatched } = substituteTokens(command ?? '', client ?? {});
    return unmatched.length > 0 ? { unmatched } : { line: String(value) };
  }
  if (isWindows(client)) {
    return { unfit: 'its command is a list of arguments, which cannot be quoted for the shell of Windows' };
  }
  const isNewer = hasEntityTokens === true && client !== undefined;
  const { value, unmatched } = isNewer
    ? substituteEntityTokens(command, client, tokenEntityOf(namespace, client))
    : substituteTokens(command, client ?? {});
  if (unmatched.length > 0) return { unmatched };
  return { line: commandText(commandOf(value) ?? '').replaceAll(OPENING_BRACES, ESCAPED_BRACES) };
}

function isWindows(client: Client | undefined): boolean {
  const system = client?.['system'];
  return isAttributes(system) && system['os'] === 'windows';
}
