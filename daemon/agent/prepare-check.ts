import { isAttributes, type Attributes } from '../../shared/domain/attributes.ts';
import { substituteEntityTokens, unmatchedEntityText } from '../../shared/domain/v2/tokens.ts';
import { commandOf } from '../../shared/domain/command-text.ts';
import { substituteTokens, unmatchedText } from '../../shared/domain/tokens.ts';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { CommandLine } from '../../shared/schemas/command.ts';
import type { Extension } from './extensions/extension.ts';
import { findExtension } from './extensions/find-extension.ts';

/** The work of a check: a command or a built-in check. */
export type Work =
  | { readonly kind: 'command'; readonly command: CommandLine; readonly environment?: readonly string[] }
  | { readonly kind: 'extension'; readonly extension: Extension; readonly parameters: unknown };

export interface PreparedCheck {
  /**
   * The check as its result contains it (completion 1.12). Tokens are replaced everywhere except in the executed
   * attributes: `command`, `env_vars`, `hooks` and the parameters of an extension. Those may contain secrets once their
   * tokens are replaced.
   */
  readonly published: CheckRequest;
  readonly work: Work;
  /** An error message about tokens without an attribute of this client. The check must not run then. */
  readonly problem: string | undefined;
}

/** The data that replaces tokens: this client, secrets included. */
export interface TokenSources {
  readonly client: Attributes;
  /** The client as a v2 entity. */
  readonly entity: Attributes;
}

/**
 * Replaces the tokens of a check with attributes of this client (reference 2.3). Tokens of a hook are replaced later,
 * when the hook runs.
 *
 * @returns undefined if the check can run nothing: it has no command, and no built-in check has its name
 */
export function prepareCheck(
  { entity_tokens: hasEntityTokens, ...request }: CheckRequest,
  { client, entity }: TokenSources,
): PreparedCheck | undefined {
  const { hooks, ...attributes } = request;
  const { value, unmatched } =
    hasEntityTokens === true
      ? substituteEntityTokens(attributes, client, entity)
      : substituteTokens(attributes, client);
  const textOf = hasEntityTokens === true ? unmatchedEntityText : unmatchedText;
  const substituted: Attributes = isAttributes(value) ? value : {};
  const work = workOf(substituted);
  if (work === undefined) return undefined;
  const raw: Attributes = {
    name: request.name,
    ...(hooks === undefined ? {} : { hooks }),
    ...pick(request, work.kind === 'command' ? 'command' : work.extension.name),
    ...pick(request, 'env_vars'),
  };
  return {
    published: { ...request, ...substituted, ...raw },
    work,
    problem: unmatched.length > 0 ? textOf(unmatched) : undefined,
  };
}

function workOf(check: Attributes): Work | undefined {
  const command = commandOf(check['command']);
  if (command !== undefined) return { kind: 'command', command, environment: variablesOf(check) };
  const extension = extensionOf(check);
  return extension && { kind: 'extension', extension, parameters: check[extension.name] };
}

/** Returns the environment variables of a check, each `NAME=value` (completion 1.17). */
function variablesOf({ env_vars: variables }: Attributes): readonly string[] {
  return Array.isArray(variables) ? variables.filter((item) => typeof item === 'string' && item.includes('=')) : [];
}

/** Returns the built-in check. Without the attribute, the name of the check names it (legacy-peer, sensu-client). */
function extensionOf(check: Attributes): Extension | undefined {
  const name = check['extension'] ?? check['name'];
  return typeof name === 'string' ? findExtension(name) : undefined;
}

function pick(record: Attributes, name: string): Attributes {
  return Object.hasOwn(record, name) ? { [name]: record[name] } : {};
}
