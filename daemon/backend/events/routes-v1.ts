import type { FastifyReply, FastifyRequest } from 'fastify';
import { withAcknowledgementSilence } from '../../../shared/domain/acknowledgement-silence.ts';
import { MonError } from '../../../shared/errors.ts';
import { resolveSchema, type Event } from '../../../shared/schemas/event.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { actorOf } from '../access/actor.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import { issuedBody } from '../http/accepted-response.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { V1Handlers } from '../http/route.ts';
import { v1Namespace } from '../namespaces/request-namespaces.ts';
import { type CheckEntry, eventsOf } from '../model/registry/namespace.ts';
import { showsAcknowledgementsAsSilences } from '../silences/acknowledged.ts';
import { isShared } from '../store/shared-store.ts';
import { eventHandlers, type EventDependencies } from './members.ts';
import type { EventCache } from '../model/events/event-cache.ts';
import { readEvents, readEventTexts, type EventHead } from './queries.ts';
import { reportInternalFailures } from './v1-internal-failures.ts';

const validateResolve = schemaValidator(resolveSchema);

/** Serves events under `/events` and under the path alias `/incidents` (completion 1.1, path alias). */
export function eventsOnV1(
  deps: EventDependencies & {
    readonly config: Pick<ConfigInForce, 'program'>;
    readonly eventHeads: EventCache<EventHead>;
  },
): V1Handlers<
  | 'events'
  | 'eventsOfClient'
  | 'event'
  | 'resolveEvent'
  | 'incidents'
  | 'incidentsOfClient'
  | 'incident'
  | 'resolveIncident'
  | 'resolve'
> {
  const { clock, store, eventHeads } = deps;
  const shown = (event: Event): Event =>
    showsAcknowledgementsAsSilences(deps) ? withAcknowledgementSilence(event) : event;
  const sendEvents = (request: FastifyRequest, reply: FastifyReply, entries: readonly CheckEntry[]): unknown =>
    sendList(request, reply, entries, (some) => readEvents(store, some, clock.now(), shown), {
      // The texts are copied from the store, so they cannot show acknowledgements as silences.
      ...(!showsAcknowledgementsAsSilences(deps) && {
        readTexts: (some: readonly CheckEntry[]) => readEventTexts(store, some, clock.now(), eventHeads),
      }),
    });

  const handlers: V1Handlers<'events' | 'eventsOfClient' | 'event' | 'resolveEvent' | 'resolve'> = {
    events: (request, reply) => sendEvents(request, reply, v1Namespace(request, deps).allEvents()),
    eventsOfClient: (request, reply) => {
      const client = v1Namespace(request, deps).clients.get(pathName(request, 'client'));
      return sendEvents(request, reply, client === undefined ? [] : [...eventsOf(client)]);
    },
    ...eventHandlers(deps, v1Namespace, shown),
    /** Serves `POST /resolve`, which resolves an event (completion 1.4). */
    resolve: async (request, reply) => {
      const { client, check } = readBody(request, validateResolve);
      try {
        await deps.events.resolve(DEFAULT_NAMESPACE, client, check, actorOf(request));
      } catch (error) {
        // This 404 is the only error response without a body (reference 4.4).
        if (error instanceof MonError && error.code === 'not_found') return reply.code(404).send();
        throw error;
      }
      return issuedBody(deps);
    },
  };
  // Failures of a shared database are temporary, so 503 stays the right status: the database recovers or is replaced.
  const { events, eventsOfClient, event, resolveEvent, resolve } = isShared(store)
    ? handlers
    : reportInternalFailures(handlers);
  return {
    events,
    eventsOfClient,
    event,
    resolveEvent,
    incidents: events,
    incidentsOfClient: eventsOfClient,
    incident: event,
    resolveIncident: resolveEvent,
    resolve,
  };
}
