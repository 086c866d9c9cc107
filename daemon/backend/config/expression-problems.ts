import { parseConditions, type ConditionProblems } from '../../../shared/domain/attribute-conditions.ts';
import { textItemsOf } from '../../../shared/domain/attributes.ts';
import { entityConditions } from '../../../shared/domain/v2/expressions.ts';
import type { CheckDefinition } from '../../../shared/schemas/check.ts';
import type { FilterDefinition } from '../../../shared/schemas/filter.ts';
import type { Remark } from '../../settings/remark.ts';

type FilterDefinitions = ReadonlyMap<string, FilterDefinition>;

/**
 * Returns the filters whose expressions are valid. A filter with an invalid expression is left out with a warning:
 * Sensu Core starts with such a filter (completion 1.22), and one notification too many is better than a missed one.
 *
 * @param warnings list to which the problems of the invalid filters are appended
 */
export function usableFilters(filters: FilterDefinitions, warnings: Remark[]): FilterDefinitions {
  return new Map(
    [...filters].filter(([name, { attributes }]) => {
      const problems = conditionProblemsOf(attributes);
      for (const { path, message } of problems) {
        warnings.push({
          path: ['filters', name, 'attributes', ...path],
          message: `${message}; this filter is ignored, so the handlers that use it get all events: fix the filter`,
        });
      }
      return problems.length === 0;
    }),
  );
}

/**
 * Yields a problem for each invalid expression in the `proxy_requests` of a check. An invalid expression matches no
 * client.
 */
export function* proxyRequestProblems(checks: ReadonlyMap<string, CheckDefinition>): Generator<Remark> {
  for (const [name, { proxy_requests: proxy }] of checks) {
    if (proxy === undefined) continue;
    const path = ['checks', name, 'proxy_requests'];
    for (const problem of conditionProblemsOf(proxy.client_attributes)) {
      yield { path: [...path, 'client_attributes', ...problem.path], message: `${problem.message}; ${NO_MATCH_HINT}` };
    }
    const expressions = entityConditions(textItemsOf(proxy['entity_attributes']));
    if ('problem' in expressions) {
      yield { path: [...path, 'entity_attributes'], message: `${expressions.problem}; ${NO_MATCH_HINT}` };
    }
  }
}

const NO_MATCH_HINT = 'so it matches no client and the check never runs: fix it';

function conditionProblemsOf(attributes: FilterDefinition['attributes']): ConditionProblems['problems'] {
  const conditions = parseConditions(attributes);
  return conditions.kind === 'problems' ? conditions.problems : [];
}
