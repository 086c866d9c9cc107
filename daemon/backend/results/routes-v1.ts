import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { issuedBody } from '../http/accepted-response.ts';
import { readBody } from '../http/json-body.ts';
import { sendList, type Listing } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { V1Handlers } from '../http/route.ts';
import { v1Namespace } from '../namespaces/request-namespaces.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import { resultHandlers, type ResultDependencies } from './members.ts';
import { readResults, readResultTexts, resultListing, resultsOfClient } from './queries.ts';
import { validateV1Submitted } from './validate-result.ts';

/**
 * Serves the routes of the v1 API that submit results, and that read and delete the last result of a check
 * (completion 1.6).
 */
export function resultsOnV1(
  deps: ResultDependencies,
): V1Handlers<'results' | 'submitResult' | 'resultsOfClient' | 'result' | 'deleteResult'> {
  const { results, store } = deps;
  const sendResults = (request: FastifyRequest, reply: FastifyReply, entries: Listing<CheckEntry>): unknown =>
    sendList(request, reply, entries, (some) => readResults(store, some), {
      readTexts: (some) => readResultTexts(store, some),
    });
  return {
    results: (request, reply) => sendResults(request, reply, resultListing([v1Namespace(request, deps)])),
    submitResult: async (request) => {
      const refused = await results.submit(
        DEFAULT_NAMESPACE,
        [readBody(request, validateV1Submitted)],
        request.admission,
      );
      const refusal = refused.get(0);
      if (refusal !== undefined) throw refusal;
      return issuedBody(deps);
    },
    resultsOfClient: (request, reply) => {
      const client = v1Namespace(request, deps).clients.get(pathName(request, 'client'));
      const entries = client === undefined ? [] : resultsOfClient(client);
      return sendResults(request, reply, entries);
    },
    ...resultHandlers(deps, v1Namespace),
  };
}
