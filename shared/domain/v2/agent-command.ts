import type { CheckRequest } from '../../schemas/agent.ts';
import type { Client } from '../../schemas/client.ts';
import { isAttributes } from '../attributes.ts';
import { commandOf, commandText } from '../command-text.ts';
import { substituteTokens } from '../tokens.ts';
import { substituteEntityTokens, tokenEntityOf } from './tokens.ts';

/** Where agents of the newer generation begin to read a token of theirs. */
const OPENING = '{{';

/** The same for them to read as a text, with quotes that need no sign before them in JSON. */
const OPENING_AS_TEXT = '{{`{{`}}';

type AgentCommand = { readonly line: string } | { readonly unmatched: readonly string[] } | { readonly unfit: string };

/**
 * The command of a check as agents of the newer generation get it, which know lines for a shell only. In such a line the
 * older tokens are replaced here, and the newer ones by the agent. Of a program with its arguments all are replaced here,
 * and each argument is quoted afterwards: no value becomes more than one argument.
 *
 * @returns what it lacks when the client does not have every attribute; unfit: its shell is not one that the quotes are for
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
  return { line: commandText(commandOf(value) ?? '').replaceAll(OPENING, OPENING_AS_TEXT) };
}

function isWindows(client: Client | undefined): boolean {
  const system = client?.['system'];
  return isAttributes(system) && system['os'] === 'windows';
}
