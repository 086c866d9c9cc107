import { isAttributes, type Attributes } from '../../shared/domain/attributes.ts';
import { substituteEntityTokens, unmatchedEntityText } from '../../shared/domain/v2/tokens.ts';
import { commandOf } from '../../shared/domain/command-text.ts';
import { substituteTokens, unmatchedText } from '../../shared/domain/tokens.ts';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { CommandLine } from '../../shared/schemas/command.ts';
import type { Extension } from './extensions/extension.ts';
import { findExtension } from './extensions/find-extension.ts';

/** The executable part of a check: a command or a built-in check. */
export type ExecutableWork =
  | { readonly kind: 'command'; readonly command: CommandLine; readonly environment?: readonly string[] }
  | { readonly kind: 'extension'; readonly extension: Extension; readonly parameters: unknown };

export interface PreparedCheck {
  /**
   * The check as its result contains it (completion 1.12). Tokens are replaced except in `command`, `env_vars`, `hooks`
   * and the parameters of a built-in check, which could contain secrets after the replacement.
   */
  readonly published: CheckRequest;
  readonly work: ExecutableWork;
  /**
   * An error message about tokens that have no value: the check must not run then. Undefined if all tokens have a
   * value.
   */
  readonly problem: string | undefined;
}

/** The attributes that replace tokens, secrets included. */
export interface TokenSources {
  readonly client: Attributes;
  /** This client as a v2 entity, for the tokens of v2 checks. */
  readonly entity: Attributes;
}

/**
 * Replaces the tokens of a check with attributes of this client (reference 2.3), except in its hooks, whose tokens are
 * replaced when a hook runs.
 *
 * @returns the prepared check; undefined if the check has neither a command nor a built-in check that could run
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
  const work = executableWorkOf(substituted);
  if (work === undefined) return undefined;
  const raw: Attributes = {
    name: request.name,
    ...(hooks === undefined ? {} : { hooks }),
    ...pickAttribute(request, work.kind === 'command' ? 'command' : work.extension.name),
    ...pickAttribute(request, 'env_vars'),
  };
  return {
    published: { ...request, ...substituted, ...raw },
    work,
    problem: unmatched.length > 0 ? textOf(unmatched) : undefined,
  };
}

function executableWorkOf(check: Attributes): ExecutableWork | undefined {
  const command = commandOf(check['command']);
  if (command !== undefined) return { kind: 'command', command, environment: variablesOf(check) };
  const extension = extensionOf(check);
  return extension && { kind: 'extension', extension, parameters: check[extension.name] };
}

/**
 * Returns the environment variables of a check as `NAME=value` (completion 1.17). Other items of `env_vars` are
 * ignored.
 */
function variablesOf({ env_vars: variables }: Attributes): readonly string[] {
  return Array.isArray(variables) ? variables.filter((item) => typeof item === 'string' && item.includes('=')) : [];
}

/**
 * Returns the built-in check that the attribute `extension` names or, without that attribute, the name of the check
 * (legacy-peer, sensu-client). Returns undefined if there is no such built-in check.
 */
function extensionOf(check: Attributes): Extension | undefined {
  const name = check['extension'] ?? check['name'];
  return typeof name === 'string' ? findExtension(name) : undefined;
}

function pickAttribute(record: Attributes, name: string): Attributes {
  return Object.hasOwn(record, name) ? { [name]: record[name] } : {};
}
