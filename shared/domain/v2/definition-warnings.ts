import { isAttributes, textsIn, type Attributes } from '../attributes.ts';
import { ENTITY_SUBJECT, EVENT_SUBJECT, type Shape } from '../known-attributes.ts';
import { expressionWarnings } from '../unknown-attributes.ts';
import { entityConditions, eventConditions, type V2Expressions } from './expressions.ts';
import type { Untranslatable } from './problem.ts';

/**
 * What to tell whoever stores a definition of version 2: which attributes its expressions name that there are not.
 *
 * @param kind as its path has it, `filters`
 */
export function definitionWarnings(kind: string, definition: Attributes): string[] {
  switch (kind) {
    case 'filters':
      return warningsOf(eventConditions(textsIn(definition['expressions'])), EVENT_SUBJECT);
    case 'checks':
      return proxyRequestWarnings(definition['proxy_requests']);
    default:
      return [];
  }
}

/** The same of the `proxy_requests` of a check, wherever it is defined. */
export function proxyRequestWarnings(proxy: unknown): string[] {
  const expressions = isAttributes(proxy) ? textsIn(proxy['entity_attributes']) : [];
  return warningsOf(entityConditions(expressions), ENTITY_SUBJECT);
}

/** What cannot be read is refused, or told of in another way. */
function warningsOf(conditions: V2Expressions | Untranslatable, shape: Shape): string[] {
  return 'problem' in conditions ? [] : expressionWarnings(conditions, shape);
}
