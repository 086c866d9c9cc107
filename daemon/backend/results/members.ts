import { MonError } from '../../../shared/errors.ts';
import { actorOf } from '../access/actor.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import type { NamespaceDependencies, NamespaceOf } from '../namespaces/request-namespaces.ts';
import type { Clock, Store } from '../ports.ts';
import { readResults } from './queries.ts';
import type { Results } from './commands.ts';

/** The dependencies of the routes for results in the v1 API and the mon API. */
export interface ResultDependencies extends NamespaceDependencies {
  readonly clock: Clock;
  readonly results: Results;
  readonly store: Store;
}

/** Returns the route handlers that read and delete a single result, for the v1 API or the mon API. */
export function resultHandlers(
  deps: ResultDependencies,
  namespaceOf: NamespaceOf,
): MonHandlers<'result' | 'deleteResult'> {
  const { results, store } = deps;
  return {
    result: async (request) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      const entry = namespaceOf(request, deps).check(client, check);
      const [result] = entry === undefined ? [] : await readResults(store, [entry]);
      if (result === undefined) throw new MonError('not_found', `there is no result of ${client}/${check}`);
      return result;
    },
    deleteResult: async (request, reply) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      await results.remove(namespaceOf(request, deps).name, client, check, actorOf(request));
      return reply.send();
    },
  };
}
