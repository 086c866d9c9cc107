import { textItemsOf, type Attributes } from '../attributes.ts';
import { attributePaths } from '../expression/attribute-paths.ts';
import { eventConditions } from './expressions.ts';

/**
 * Returns the warnings about an imported filter that decides differently in mon than in Sensu Go. In Sensu Go, the
 * entity and the check have no `metadata` in filters, so a filter that uses it passes every event there.
 */
export function movedFilterWarnings(filter: Attributes): string[] {
  const conditions = eventConditions(textItemsOf(filter['expressions']));
  if ('problem' in conditions) return [];
  const named = conditions.expressions.flatMap((expression) =>
    [...attributePaths(expression)].flatMap(([root, part, name]) =>
      root === 'event' && (part === 'entity' || part === 'check') && name === 'metadata'
        ? [`event.${part}.metadata`]
        : [],
    ),
  );
  return [...new Set(named)].map(
    (name) =>
      `it uses ${name}, which does not exist in filters of Sensu Go, so there it lets every event through; ` +
      'here it is evaluated, and handlers may get fewer events than before: check it before handlers rely on it',
  );
}
