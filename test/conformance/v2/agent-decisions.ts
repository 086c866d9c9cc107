import { at, itemsOf } from '../decision.ts';
import { onObservation, type Decision } from './decision.ts';
import { handledEventsOf } from './recording.ts';

/** Decisions about the connections of agents and their keepalives. */
export const AGENT_DECISIONS: readonly Decision[] = [
  onObservation(
    ({ what, record, agent }) => what === 'upgrade' && record['status'] === 404 && agent !== 'no-namespace',
    'it lags: the namespace was made before, and its agents may come at once',
    () => ({ status: 101 }),
  ),
  onObservation(
    ({ what, record }) =>
      what === 'upgrade' &&
      record['status'] === 101 &&
      String(at(record, 'headers', 'accept')).includes('octet-stream'),
    'agents that read of octet streams speak protobuf, which is not spoken here (clients 6)',
    () => ({ status: 101, answer: { accept: 'application/json', 'content-type': 'application/json' } }),
  ),
  onObservation(
    ({ what, data }) => what.startsWith('handler:') && handledEventsOf(data).some(hasEmptyInterfaces),
    'no interfaces are null in an event that is stored; the first one of an agent is no other here',
    ({ data }) =>
      handledEventsOf(data).map((event) => ({
        entity: {
          metadata: { name: at(event, 'entity', 'metadata', 'name') },
          system: { network: { interfaces: null } },
        },
        check: {
          status: at(event, 'check', 'status'),
          handlers: at(event, 'check', 'handlers'),
          scheduler: at(event, 'check', 'scheduler'),
        },
      })),
  ),
];

function hasEmptyInterfaces(event: unknown): boolean {
  const interfaces = at(event, 'entity', 'system', 'network', 'interfaces');
  return Array.isArray(interfaces) && itemsOf(interfaces).length === 0;
}
