import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { issued } from '../http/issued.ts';
import { readBody } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { OnV1 } from '../http/route.ts';
import { v1Namespace } from '../namespaces/asked.ts';
import { oneResult, type ResultDeps } from './members.ts';
import { readResults, resultsOf, resultsOfClient } from './read.ts';
import { validateSubmitted } from './validate-result.ts';

/** The last result of every client and check (completion 1.6). */
export function resultsOnV1(
  deps: ResultDeps,
): OnV1<'results' | 'submitResult' | 'resultsOfClient' | 'result' | 'deleteResult'> {
  const { results, store } = deps;
  return {
    results: (request, reply) =>
      sendList(request, reply, resultsOf(v1Namespace(request, deps)), (entries) => readResults(store, entries)),
    submitResult: async (request) => {
      const refused = await results.submit(
        DEFAULT_NAMESPACE,
        [readBody(request, validateSubmitted)],
        request.admission,
      );
      const refusal = refused.get(0);
      if (refusal !== undefined) throw refusal;
      return issued(deps);
    },
    resultsOfClient: (request, reply) => {
      const client = v1Namespace(request, deps).clients.get(pathName(request, 'client'));
      const entries = client === undefined ? [] : resultsOfClient(client);
      return sendList(request, reply, entries, (some) => readResults(store, some));
    },
    ...oneResult(deps, v1Namespace),
  };
}
