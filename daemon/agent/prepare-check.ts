import { isAttributes, type Attributes } from '../../shared/domain/attributes.ts';
import { substituteEntityTokens, unmatchedEntityText } from '../../shared/domain/v2/tokens.ts';
import { commandOf } from '../../shared/domain/command-text.ts';
import { substituteTokens, unmatchedText } from '../../shared/domain/tokens.ts';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { Command } from '../../shared/schemas/command.ts';
import type { Extension } from './extensions/extension.ts';
import { findExtension } from './extensions/find-extension.ts';

/** What runs for a check. */
export type Work =
  | { readonly kind: 'command'; readonly command: Command; readonly environment?: readonly string[] }
  | { readonly kind: 'extension'; readonly extension: Extension; readonly parameters: unknown };

export interface PreparedCheck {
  /**
   * The check as its result tells of it (completion 1.12): tokens replaced everywhere but in what runs, that is
   * `command`, `env_vars`, `hooks` and the parameters of an extension, because a secret may take the place of a token
   * there.
   */
  readonly published: CheckRequest;
  readonly work: Work;
  /** What to say of tokens that this client has no attribute for; the check must not run then. */
  readonly problem: string | undefined;
}

/** What takes the place of tokens: this client, secrets included. */
export interface TokenSources {
  readonly client: Attributes;
  /** The client as an entity of version 2. */
  readonly entity: Attributes;
}

/**
 * Puts the attributes of this client in place of the tokens of a check (reference 2.3). Hooks come later, when one
 * runs.
 *
 * @returns undefined when there is nothing that could run: no command, and no built-in check of that name
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

/** `NAME=value` each (completion 1.17). */
function variablesOf({ env_vars: variables }: Attributes): readonly string[] {
  return Array.isArray(variables) ? variables.filter((item) => typeof item === 'string' && item.includes('=')) : [];
}

/** Without the attribute, the name of the check is that of the extension (legacy-peer, sensu-client). */
function extensionOf(check: Attributes): Extension | undefined {
  const name = check['extension'] ?? check['name'];
  return typeof name === 'string' ? findExtension(name) : undefined;
}

function pick(record: Attributes, name: string): Attributes {
  return Object.hasOwn(record, name) ? { [name]: record[name] } : {};
}
