import type { FastifyReply, FastifyRequest } from 'fastify';
import { silencedView } from '../../../shared/domain/silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { silencedSchema, type SilencedEntry, type SubmittedMonSilenced } from '../../../shared/schemas/silenced.ts';
import { unexpiredEntries } from './queries.ts';
import { unexpiredEntry } from './commands.ts';
import { actorOf } from '../access/actor.ts';
import { schemaValidator } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { V1Handlers } from '../http/route.ts';
import { v1Namespace } from '../namespaces/request-namespaces.ts';
import { changesOfSilences, type SilenceDependencies } from './changes.ts';
import type { SilencedRegistry } from '../model/silences/state.ts';

// The v1 API has neither selectors nor recurrences, so attributes with these names are ignored.
const validateEntry = (body: unknown): SubmittedMonSilenced => ({
  ...validateV1(body),
  selector: undefined,
  recurrence: undefined,
});
const validateV1 = schemaValidator(silencedSchema);

/** Serves silences in the v1 API (completion 1.2). */
export function silencedOnV1(
  deps: SilenceDependencies,
): V1Handlers<
  | 'silenced'
  | 'silence'
  | 'clearSilenced'
  | 'silencedEntry'
  | 'deleteSilenced'
  | 'silencedOfSubscription'
  | 'silencedOfCheck'
> {
  const { clock, silenced } = deps;
  const silencedIn = (request: FastifyRequest): SilencedRegistry => v1Namespace(request, deps).silenced;

  function sendEntries(request: FastifyRequest, reply: FastifyReply, entries: Iterable<SilencedEntry>): unknown {
    const nowMs = clock.now();
    return sendList(request, reply, unexpiredEntries(entries, nowMs), (some) =>
      some.map((entry) => silencedView(entry, nowMs)),
    );
  }

  return {
    silenced: (request, reply) => sendEntries(request, reply, silencedIn(request).all()),
    ...changesOfSilences(deps, v1Namespace, validateEntry),
    silencedEntry: (request) => {
      const id = pathName(request, 'id');
      const entry = unexpiredEntry(v1Namespace(request, deps), id, clock.now());
      if (entry === undefined) throw new MonError('not_found', `there is no silence ${id}`);
      return silencedView(entry, clock.now());
    },
    deleteSilenced: async (request, reply) => {
      await silenced.clear(DEFAULT_NAMESPACE, { id: pathName(request, 'id') }, actorOf(request));
      return reply.send();
    },
    silencedOfSubscription: (request, reply, { prefix }) => {
      const entries = silencedIn(request).namingSubscription(pathName(request, 'subscription'), prefix === 'true');
      return sendEntries(request, reply, entries);
    },
    silencedOfCheck: (request, reply) =>
      sendEntries(request, reply, silencedIn(request).namingCheck(pathName(request, 'check'))),
  };
}
