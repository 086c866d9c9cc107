import type { Decision } from './decision.ts';

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
];
