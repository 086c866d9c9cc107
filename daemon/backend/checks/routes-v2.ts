import { v2CheckOf } from '../../../shared/domain/v2/check.ts';
import { subscriptionOfV2 } from '../../../shared/domain/v2/subscription.ts';
import { executeCheckSchema } from '../../../shared/schemas/v2/execute-check.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import { issuedBody } from '../http/accepted-response.ts';
import type { V2Handlers } from '../http/route.ts';
import { objectHandlers, pathPart } from '../http/v2-collection.ts';
import { definitionCollection, type DefinitionDependencies } from '../definitions/routes-v2.ts';
import type { CheckDependencies } from './members.ts';
import { doesNotExist } from '../http/v2-errors.ts';

const validateExecution = schemaValidator(executeCheckSchema);

/** Serves check definitions in the v2 API, and requests runs of checks (completion 1.17). */
export function checksOnV2(deps: CheckDependencies & DefinitionDependencies): V2Handlers<'checks'> {
  const { audit, config, registry, requests } = deps;
  const { definitions } = config;
  const collection = definitionCollection(deps, {
    kind: 'checks',
    configured: () =>
      [...definitions.configured('checks').values()].map((check) => v2CheckOf(DEFAULT_NAMESPACE, check)),
  });
  return {
    ...objectHandlers(deps, collection),
    execute: async (request, reply) => {
      const namespace = pathPart(request, 'namespace');
      const check = pathPart(request, 'name');
      const isThere = registry.declared.has(namespace) && definitions.inNamespace(namespace).check(check) !== undefined;
      if (!isThere) throw doesNotExist();
      const { creator, reason, subscriptions } = readBody(request, validateExecution);
      const actor = actorOf(request, creator);
      const subscribers = (subscriptions ?? []).length === 0 ? undefined : subscriptions?.map(subscriptionOfV2);
      // The audit record is written before the request is sent, so that the requester of every run is known.
      await audit.record(actor, {
        action: 'check.request',
        target: namespace === DEFAULT_NAMESPACE ? check : `${namespace}/${check}`,
        after: { subscribers: subscribers ?? null },
        reason,
      });
      const apiRequested = { reason: reason ?? null, creator: actor.who };
      await requests.requestRun(namespace, { check, subscribers, apiRequested });
      // The body is JSON, but it is sent as text, as in Sensu Go, whose clients do not check the content type.
      return reply.type('text/plain').send(JSON.stringify(issuedBody(deps)));
    },
  };
}
