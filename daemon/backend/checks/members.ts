import { requestSchema } from '../../../shared/schemas/request.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import { targetIn, type Audit } from '../model/audit/mutations.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import { issued } from '../http/accepted-response.ts';
import { readBody, validator } from '../http/json-body.ts';
import { pathName } from '../http/path-name.ts';
import type { OnMon } from '../http/route.ts';
import type { NamespaceDeps, NamespaceOf } from '../namespaces/request-namespaces.ts';
import type { Clock } from '../ports.ts';
import type { CheckRequests } from './runs.ts';
import type { Checks } from './commands.ts';

const validate = validator(requestSchema);

/** The dependencies of the check routes in the v1, v2 and mon APIs. */
export interface CheckDeps extends NamespaceDeps {
  readonly audit: Audit;
  readonly checks: Checks;
  readonly clock: Clock;
  readonly config: ConfigInForce;
  readonly requests: CheckRequests;
}

/** Returns the route handlers that delete the results of a check or request a run, for the v1 API or the mon API. */
export function oneCheck(deps: CheckDeps, namespaceOf: NamespaceOf): OnMon<'deleteCheck' | 'requestCheck'> {
  const { audit, checks, requests } = deps;
  return {
    /** Deletes the results of a check. The request succeeds even if there are none, as in Sensu Core. */
    deleteCheck: async (request) => {
      await checks.remove(namespaceOf(request, deps).name, pathName(request, 'check'), actorOf(request));
      return issued(deps);
    },
    /** Requests one immediate run of a check (completion 1.6). */
    requestCheck: async (request) => {
      const { check, subscribers, reason, creator: claimed } = readBody(request, validate);
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
        target: targetIn(namespace, check),
        after: { subscribers: order.subscribers ?? null },
        reason,
      });
      await requests.requestRun(namespace, order);
      return issued(deps);
    },
  };
}
