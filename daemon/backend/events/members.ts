import { MonError } from '../../../shared/errors.ts';
import { actorOf } from '../access/actor.ts';
import { issuedBody } from '../http/accepted-response.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import type { NamespaceDependencies, NamespaceOf } from '../namespaces/request-namespaces.ts';
import type { Clock, Store } from '../ports.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import { readEvents } from './queries.ts';
import type { Events } from './commands.ts';

/** The dependencies of the event routes in the v1 API and the mon API. */
export interface EventDependencies extends NamespaceDependencies {
  readonly clock: Clock;
  readonly events: Events;
  readonly store: Store;
}

/**
 * Returns the route handlers that read and resolve a single event, for the v1 API or the mon API.
 *
 * @param shown callback that converts an event to the format of the API; default: the v1 format
 */
export function eventHandlers(
  deps: EventDependencies,
  namespaceOf: NamespaceOf,
  shown?: (event: Event, entry: CheckEntry) => Event,
): MonHandlers<'event' | 'resolveEvent'> {
  const { clock, events, store } = deps;
  return {
    event: async (request) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      const entry = namespaceOf(request, deps).check(client, check);
      const [event] = entry === undefined ? [] : await readEvents(store, [entry], clock.now(), shown);
      if (event === undefined) throw new MonError('not_found', `there is no event of ${client}/${check}`);
      return event;
    },
    resolveEvent: async (request) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      await events.resolve(namespaceOf(request, deps).name, client, check, actorOf(request), 'event.delete');
      return issuedBody(deps);
    },
  };
}
