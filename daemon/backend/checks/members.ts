import { requestSchema } from '../../../shared/schemas/request.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import { auditTarget, type Audit } from '../model/audit/mutations.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import { issuedBody } from '../http/accepted-response.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import type { NamespaceDependencies, NamespaceOf } from '../namespaces/request-namespaces.ts';
import type { Clock } from '../ports.ts';
import type { CheckRequests } from './runs.ts';
import type { Checks } from './commands.ts';

const validateRunRequest = schemaValidator(requestSchema);

/** The dependencies of the check routes in the v1, v2 and mon APIs. */
export interface CheckDependencies extends NamespaceDependencies {
  readonly audit: Audit;
  readonly checks: Checks;
  readonly clock: Clock;
  readonly config: ConfigInForce;
  readonly requests: CheckRequests;
}

/** Returns the route handlers that delete the results of a check or request a run, for the v1 API or the mon API. */
export function checkHandlers(
  deps: CheckDependencies,
  namespaceOf: NamespaceOf,
): MonHandlers<'deleteCheck' | 'requestCheck'> {
  const { audit, checks, requests } = deps;
  return {
    /** Deletes the results of a check. The request succeeds even if there are none, as in Sensu Core. */
    deleteCheck: async (request) => {
      await checks.remove(namespaceOf(request, deps).name, pathName(request, 'check'), actorOf(request));
      return issuedBody(deps);
    },
    /** Requests one immediate run of a check (completion 1.6). */
    requestCheck: async (request) => {
      const { check, subscribers, reason, creator: claimed } = readBody(request, validateRunRequest);
      const { name: namespace } = namespaceOf(request, deps);
      const creator = creatorOf(request.principal, claimed);
      const order = {
        check,
        subscribers: subscribers?.filter((subscription) => typeof subscription === 'string'),
        apiRequested: { reason: reason ?? null, creator: creator ?? null },
      };
      requests.refuseUnknown(namespace, check);
      // The audit record is written before the request is sent, so that the requester of every run is known.
      await audit.record(actorOf(request, creator), {
        action: 'check.request',
        target: auditTarget(namespace, check),
        after: { subscribers: order.subscribers ?? null },
        reason,
      });
      await requests.requestRun(namespace, order);
      return issuedBody(deps);
    },
  };
}
