import type { Decision } from './decision.ts';

/** The statuses that the handler of keepalives is told of, by agent. */
const TOLD = {
  dereg: [0, 1, 2, 2, 2],
  leaves: [0, 1, 2, 2, 2],
  nocritical: [0, 1, 1, 1, 1],
  stays: [0, 1, 2, 2, 2, 0],
};

/** Of the connections of agents, and of their keepalives. */
export const AGENT_DECISIONS: readonly Decision[] = [
  {
    case: /^agents-(?:frames-a\/agents-frames|keepalive\/agents-keepalive)$/,
    what: 'probe connects',
    because: 'it lags: the namespace was made before, and its agents may come at once',
    right: { status: 101 },
  },
  {
    case: /^agents-frames-a\/(?:connect|protobuf-default)$/,
    what: / connects$/,
    because: 'agents that read of octet streams speak protobuf, which is not spoken here (clients 6)',
    right: { status: 101, answer: { accept: 'application/json', 'content-type': 'application/json' } },
  },
  {
    case: 'agents-keepalive/keepalive-handler',
    because: 'no interfaces are null in an event that is stored; the first one of an agent is no other here',
    right: Object.entries(TOLD).flatMap(([name, statuses]) =>
      statuses.map((status) => ({
        entity: { metadata: { name }, system: { network: { interfaces: null } } },
        check: { status, handlers: ['keepalive'], scheduler: 'etcd' },
      })),
    ),
  },
];
