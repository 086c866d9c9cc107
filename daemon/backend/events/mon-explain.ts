import { MonError } from '../../../shared/errors.ts';
import type { Explanation } from '../../../shared/schemas/explain.ts';
import { explainEvent, type ExplainDependencies } from './explain.ts';
import { requestedNamespace, type NamespaceDependencies } from '../namespaces/request-namespaces.ts';
import type { Clock } from '../ports.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';

/** Serves the route that explains why the handlers of a check run or do not run for its event. */
export function explanationOnMon(
  deps: ExplainDependencies & NamespaceDependencies & { readonly clock: Clock },
): MonHandlers<'explainEvent'> {
  return {
    explainEvent: async (request): Promise<Explanation> => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      const entry = requestedNamespace(request, deps).check(client, check);
      const explanation = entry === undefined ? undefined : await explainEvent(deps, entry, deps.clock.now());
      if (explanation === undefined) {
        throw new MonError('not_found', `there is no event and no result of ${client}/${check}`);
      }
      return explanation;
    },
  };
}
