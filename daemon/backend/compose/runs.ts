import type { ApiCommands } from '../audit/api-commands.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import { Broadcast } from '../cluster/runs/broadcast.ts';
import { LiveMembers } from '../cluster/runs/live-members.ts';
import { PeerRuns } from '../cluster/runs/peer-runs.ts';
import { SpreadRuns } from '../cluster/runs/spread-runs.ts';
import type { PeerSignatures } from '../cluster/forwarding/proof/peer-signatures.ts';
import type { Membership } from '../cluster/membership.ts';
import type { HandlerRunner } from '../notify/delivery/deliver.ts';
import type { Foundation } from './foundation.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';

interface RunDependencies {
  readonly delivery: HandlerRunner;
  readonly feed: FeedHub;
  readonly apiCommands: ApiCommands;
  readonly member: Membership;
  readonly signatures: PeerSignatures;
}

/** The distribution of handler runs in the cluster. */
interface DistributedRuns {
  /** Distributes handler runs of the leader among all members. */
  readonly spreadRuns: SpreadRuns;
  /** Sends messages of transport handlers to the other members. */
  readonly broadcast: Broadcast;
  /** Runs handlers for the leader, while this backend is a follower. */
  readonly runsForLeader: PeerRuns;
}

export function openRunsOfAll(
  { config, definitions, clock, log }: Foundation,
  { delivery, feed, member, signatures, apiCommands }: RunDependencies,
  teardown: Teardown<PartName>,
): DistributedRuns {
  const runsHandlers = (): boolean => config.program['run-handlers'];
  const members = teardown.use(
    'other backends',
    new LiveMembers({
      otherMembers: () => (member.isLeader ? member.provenMembers() : []),
      signatures,
      clock,
      log,
      random: Math.random,
    }),
  );
  return {
    spreadRuns: new SpreadRuns({ members, own: delivery, runsHandlers, definitions, clock, log }),
    broadcast: new Broadcast({ members, clock, log }),
    runsForLeader: new PeerRuns({ delivery, definitions, apiCommands, feed, leadership: member, runsHandlers }),
  };
}
