import { MON_API } from '../../../shared/api/mon.ts';
import { acknowledgementRow } from '../../../shared/domain/acknowledgement.ts';
import { compareText } from '../../../shared/domain/compare-text.ts';
import { ACKNOWLEDGEMENT_SEARCH } from '../../../shared/domain/list-searches.ts';
import type { AcknowledgementRow } from '../../../shared/schemas/acknowledgement.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import { searchFilter } from '../http/search.ts';
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

interface AcknowledgementDependencies extends NamespaceDependencies {
  readonly acknowledgements: Acknowledgements;
  readonly clock: Clock;
}

/** Serves the acknowledgements of events: lists them with an optional search (`?q=`), creates and removes them. */
export function acknowledgementsOnMon(
  deps: AcknowledgementDependencies,
): MonHandlers<'acknowledgements' | 'acknowledge' | 'unacknowledge'> {
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
    unacknowledge: async (request, reply) => {
      const { name } = requestedNamespace(request, deps);
      const event = { client: pathName(request, 'client'), check: pathName(request, 'check') };
      await acknowledgements.unacknowledge(name, event, actorOf(request));
      return reply.send();
    },
  };
}

function rowOf({ client, name, state: { event } }: CheckEntry): AcknowledgementRow | undefined {
  return event?.acknowledgement && acknowledgementRow(event.acknowledgement, client.name, name, event.status);
}

function compareByName(a: CheckEntry, b: CheckEntry): number {
  return compareText(a.client.name, b.client.name) || compareText(a.name, b.name);
}
