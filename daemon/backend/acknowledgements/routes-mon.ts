import { MON_API } from '../../../shared/api/mon.ts';
import { acknowledgementRow } from '../../../shared/domain/acknowledgement.ts';
import { compareText } from '../../../shared/domain/compare-text.ts';
import { ACKNOWLEDGEMENT_SEARCH } from '../../../shared/domain/list-searches.ts';
import { EVENT_SEARCH } from '../../../shared/domain/search.ts';
import { MonError } from '../../../shared/errors.ts';
import { ACKNOWLEDGED_AT_ONCE_MAX, type AcknowledgementRow } from '../../../shared/schemas/acknowledgement.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import { searchOpenEvents } from '../events/queries.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import { parseSearchQuery, searchFilter } from '../http/search.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import {
  entriesOf,
  requestedNamespace,
  requestedNamespaces,
  type NamespaceDependencies,
  type NamespacedEntry,
} from '../namespaces/request-namespaces.ts';
import type { Clock } from '../ports.ts';
import type { Acknowledgements } from './commands.ts';

const validateAcknowledgement = bodyValidator(MON_API.acknowledge);
const validateMatching = bodyValidator(MON_API.acknowledgeMatching);

interface AcknowledgementDependencies extends NamespaceDependencies {
  readonly acknowledgements: Acknowledgements;
  readonly clock: Clock;
}

/** Serves the acknowledgements of events: lists them with an optional search (`?q=`), creates and removes them. */
export function acknowledgementsOnMon(
  deps: AcknowledgementDependencies,
): MonHandlers<'acknowledgements' | 'acknowledge' | 'acknowledgeMatching' | 'unacknowledge'> {
  const { acknowledgements, clock } = deps;
  return {
    acknowledgements: (request, reply, query) => {
      const where = searchFilter(ACKNOWLEDGEMENT_SEARCH, query, (row: AcknowledgementRow) => row, clock.now());
      const requested = requestedNamespaces(request, deps);
      const entries = entriesOf(requested, ({ acknowledged }) => [...acknowledged.all()].toSorted(compareByName));
      const shown = ({ namespace, entry }: NamespacedEntry<CheckEntry>): AcknowledgementRow[] => {
        const row = rowOf(entry);
        return row === undefined ? [] : [requested.withNamespaceName(row, namespace.name)];
      };
      return sendList(request, reply, entries, (some) => some.flatMap(shown), { where });
    },
    acknowledge: async (request, reply) => {
      const { name } = requestedNamespace(request, deps);
      const submitted = readBody(request, validateAcknowledgement);
      const actor = actorOf(request, submitted.owner);
      const owner = creatorOf(request.principal, submitted.owner) ?? actor.who;
      const row = await acknowledgements.acknowledge(name, { ...submitted, owner }, actor);
      return reply.send(row);
    },
    acknowledgeMatching: async (request, reply) => {
      const namespace = requestedNamespace(request, deps);
      const { search, ...submitted } = readBody(request, validateMatching);
      const actor = actorOf(request, submitted.owner);
      const owner = creatorOf(request.principal, submitted.owner) ?? actor.who;
      const names = await matchingNames(namespace.allEvents(), search, clock.now());
      const rows = await acknowledgements.acknowledgeAll(namespace.name, names, { ...submitted, owner }, actor);
      return reply.send(rows);
    },
    unacknowledge: async (request, reply) => {
      const { name } = requestedNamespace(request, deps);
      const event = { client: pathName(request, 'client'), check: pathName(request, 'check') };
      await acknowledgements.unacknowledge(name, event, actorOf(request));
      return reply.send();
    },
  };
}

/**
 * Returns the names of the open events that match a search.
 *
 * @throws MonError `invalid` if the search is invalid or matches too many events, `not_found` if it matches none
 */
async function matchingNames(
  entries: readonly CheckEntry[],
  search: string,
  nowMs: number,
): Promise<{ readonly client: string; readonly check: string }[]> {
  const matches = await searchOpenEvents(entries, parseSearchQuery(EVENT_SEARCH, { q: search }), nowMs);
  if (matches.length === 0) throw new MonError('not_found', 'search: no open event matches');
  if (matches.length > ACKNOWLEDGED_AT_ONCE_MAX) {
    const [count, most] = [matches.length, ACKNOWLEDGED_AT_ONCE_MAX].map(String);
    throw new MonError('invalid', `search: matches ${count ?? ''} events, at most ${most ?? ''}: narrow the search`);
  }
  return matches.map(({ entry: { client, name } }) => ({ client: client.name, check: name }));
}

function rowOf({ client, name, state: { event } }: CheckEntry): AcknowledgementRow | undefined {
  return event?.acknowledgement && acknowledgementRow(event.acknowledgement, client.name, name, event.status);
}

function compareByName(a: CheckEntry, b: CheckEntry): number {
  return compareText(a.client.name, b.client.name) || compareText(a.name, b.name);
}
