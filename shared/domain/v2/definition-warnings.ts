import { isAttributes, textItemsOf, type Attributes } from '../attributes.ts';
import { ENTITY_SUBJECT, EVENT_SUBJECT, type Shape } from '../attribute-shapes.ts';
import { expressionWarnings } from '../unknown-attributes.ts';
import { entityConditions, eventConditions, type V2Expressions } from './expressions.ts';
import type { UntranslatableObject } from './problem.ts';
import { unreadableToken } from './tokens.ts';

/**
 * Returns the warnings about an object of the v2 API: unknown attributes in its expressions, tokens that mon cannot
 * replace, and workflows with unsupported handlers.
 *
 * @param kind the kind of object as in its API path, such as `filters`
 */
export function definitionWarnings(kind: string, definition: Attributes): string[] {
  switch (kind) {
    case 'filters':
      return warningsOf(eventConditions(textItemsOf(definition['expressions'])), EVENT_SUBJECT);
    case 'checks':
      return [...unreadableTokenWarnings(definition), ...proxyRequestWarnings(definition['proxy_requests'])];
    case 'pipelines':
      return foreignHandlerWarnings(definition['workflows']);
    default:
      return [];
  }
}

/** Returns a warning if a check has a token that mon cannot replace. Then only Sensu Go agents can run the check. */
function unreadableTokenWarnings({ command, env_vars: variables }: Attributes): string[] {
  const texts = [...(typeof command === 'string' ? [command] : textItemsOf(command)), ...textItemsOf(variables)];
  const problem = texts.map((text) => unreadableToken(text)).find((one) => one !== undefined);
  return problem === undefined ? [] : [`only agents of Sensu Go can run it, because of a token: ${problem}`];
}

/** Returns the warnings about workflows of a pipeline whose handler has an unsupported type. */
function foreignHandlerWarnings(workflows: unknown): string[] {
  if (!Array.isArray(workflows)) return [];
  return workflows.flatMap((workflow: unknown) => {
    const handler = isAttributes(workflow) && isAttributes(workflow['handler']) ? workflow['handler'] : {};
    if (!isAttributes(workflow) || handler['type'] === 'Handler') return [];
    const type = `${String(handler['api_version'])}.${String(handler['type'])}`;
    return [`the workflow ${String(workflow['name'])} does nothing: handlers of the type ${type} are not supported`];
  });
}

/** Returns the warnings about the `proxy_requests` of a check from the v2 API or a configuration file. */
export function proxyRequestWarnings(proxy: unknown): string[] {
  const expressions = isAttributes(proxy) ? textItemsOf(proxy['entity_attributes']) : [];
  return warningsOf(entityConditions(expressions), ENTITY_SUBJECT);
}

/** Returns the warnings about expressions; syntax errors are reported elsewhere. */
function warningsOf(conditions: V2Expressions | UntranslatableObject, shape: Shape): string[] {
  return 'problem' in conditions ? [] : expressionWarnings(conditions, shape);
}
