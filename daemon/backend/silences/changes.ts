import { clearSilencedSchema, type SubmittedMonSilenced } from '../../../shared/schemas/silenced.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import type { MonHandlers } from '../http/route.ts';
import type { NamespaceDependencies, NamespaceOf } from '../namespaces/request-namespaces.ts';
import type { Clock } from '../ports.ts';
import { policedRequest, refuseV1AgainstPolicy, type PolicyDependencies } from './policy.ts';
import type { SilencedEntries } from './commands.ts';

const validateClear = schemaValidator(clearSilencedSchema);

/** Dependencies of the routes for silences in the v1, v2 and mon API. */
export interface SilenceDependencies extends NamespaceDependencies, PolicyDependencies {
  readonly clock: Clock;
  readonly silenced: SilencedEntries;
}

/**
 * Returns the request handlers that create and clear silences in the v1 or mon API.
 *
 * @param validateEntry callback that validates the body of a request to create a silence, and returns it
 */
export function changesOfSilences(
  deps: SilenceDependencies,
  namespaceOf: NamespaceOf,
  validateEntry: (body: unknown) => SubmittedMonSilenced,
): MonHandlers<'silence' | 'clearSilenced'> {
  const { silenced } = deps;
  return {
    silence: async (request, reply) => {
      const { name } = namespaceOf(request, deps);
      const submitted = readBody(request, validateEntry);
      const entry = { ...submitted, creator: creatorOf(request.principal, submitted.creator) };
      refuseV1AgainstPolicy(deps, policedRequest(entry));
      await silenced.create(name, entry, actorOf(request, entry.creator));
      return reply.send();
    },
    clearSilenced: async (request, reply) => {
      const { name } = namespaceOf(request, deps);
      await silenced.clear(name, readBody(request, validateClear), actorOf(request));
      return reply.send();
    },
  };
}
