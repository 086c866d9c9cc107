import type { FastifyReply, FastifyRequest } from 'fastify';
import { silencedId, silencedView } from '../../../shared/domain/silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import {
  clearSilencedSchema,
  silencedSchema,
  type SilencedEntry,
  type SubmittedMonSilenced,
} from '../../../shared/schemas/silenced.ts';
import {
  acknowledgementSilenceById,
  acknowledgementSilences,
  unacknowledgeBySilence,
  type AcknowledgementDependencies,
} from './acknowledged.ts';
import { unexpiredEntries } from './queries.ts';
import { unexpiredEntry, type SilencedTarget } from './commands.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
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
const validateClear = schemaValidator(clearSilencedSchema);

/** Serves silences in the v1 API (completion 1.2). */
export function silencedOnV1(
  deps: SilenceDependencies & AcknowledgementDependencies,
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

  /** @param isNamed callback that selects the silences that stand for acknowledgements */
  function sendEntries(
    request: FastifyRequest,
    reply: FastifyReply,
    entries: Iterable<SilencedEntry>,
    isNamed: (entry: SilencedEntry) => boolean = () => true,
  ): unknown {
    const nowMs = clock.now();
    const shown = acknowledgementSilences(deps, v1Namespace(request, deps), nowMs).filter(isNamed);
    return sendList(request, reply, unexpiredEntries([...entries, ...shown], nowMs), (some) =>
      some.map((entry) => silencedView(entry, nowMs)),
    );
  }

  /** Ends a silence, or removes the acknowledgement that it stands for. */
  async function clear(request: FastifyRequest, target: SilencedTarget): Promise<void> {
    const id = target.id ?? silencedId(target.subscription, target.check);
    const namespace = v1Namespace(request, deps);
    const isAcknowledgement = await unacknowledgeBySilence(
      deps,
      { namespace, id, nowMs: clock.now() },
      actorOf(request),
    );
    if (!isAcknowledgement) await silenced.clear(DEFAULT_NAMESPACE, target, actorOf(request));
  }

  return {
    silenced: (request, reply) => sendEntries(request, reply, silencedIn(request).all()),
    silence: changesOfSilences(deps, v1Namespace, validateEntry).silence,
    clearSilenced: async (request, reply) => {
      await clear(request, readBody(request, validateClear));
      return reply.send();
    },
    silencedEntry: (request) => {
      const id = pathName(request, 'id');
      const namespace = v1Namespace(request, deps);
      const nowMs = clock.now();
      const entry = unexpiredEntry(namespace, id, nowMs) ?? acknowledgementSilenceById(deps, namespace, id, nowMs);
      if (entry === undefined) throw new MonError('not_found', `there is no silence ${id}`);
      return silencedView(entry, nowMs);
    },
    deleteSilenced: async (request, reply) => {
      await clear(request, { id: pathName(request, 'id') });
      return reply.send();
    },
    silencedOfSubscription: (request, reply, { prefix }) => {
      const name = pathName(request, 'subscription');
      const isPrefix = prefix === 'true';
      return sendEntries(
        request,
        reply,
        silencedIn(request).namingSubscription(name, isPrefix),
        ({ subscription }) => subscription === name || (isPrefix && subscription?.startsWith(name) === true),
      );
    },
    silencedOfCheck: (request, reply) => {
      const name = pathName(request, 'check');
      return sendEntries(request, reply, silencedIn(request).namingCheck(name), ({ check }) => check === name);
    },
  };
}
