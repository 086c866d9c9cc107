import type { ApiCommands } from '../audit/api-commands.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import { Broadcast } from '../cluster/runs/broadcast.ts';
import { LiveMembers } from '../cluster/runs/live-members.ts';
import { PeerRuns } from '../cluster/runs/peer-runs.ts';
import { SpreadRuns } from '../cluster/runs/spread-runs.ts';
import type { PeerSignatures } from '../cluster/forwarding/proof/peer-signatures.ts';
import type { Membership } from '../cluster/membership.ts';
import type { Delivery } from '../handlers/deliver.ts';
import type { Ground } from './ground.ts';
import type { Teardown } from './teardown.ts';

interface RunParts {
  readonly delivery: Delivery;
  readonly feed: FeedHub;
  readonly apiCommands: ApiCommands;
  readonly member: Membership | undefined;
  readonly signatures: PeerSignatures | undefined;
}

/** Handlers on all backends that share the store. */
interface RunsOfAll {
  /** Runs of this one, here and elsewhere. */
  readonly spread: SpreadRuns;
  /** Pieces of transports, elsewhere. */
  readonly broadcast: Broadcast;
  /** What others ask of this one. */
  readonly ofPeers: PeerRuns;
}

/** @returns undefined: the store is of this backend alone */
export function openRunsOfAll(
  { config, definitions, clock, log }: Ground,
  { delivery, feed, member, signatures, apiCommands }: RunParts,
  teardown: Teardown,
): RunsOfAll | undefined {
  if (member === undefined || signatures === undefined) return undefined;
  const runsHandlers = (): boolean => config.program['run-handlers'];
  const members = teardown.use(
    'other backends',
    new LiveMembers({
      others: () => (member.isWriter ? member.others() : []),
      signatures,
      clock,
      log,
      chance: Math.random,
    }),
  );
  return {
    spread: new SpreadRuns({ members, own: delivery, runsHandlers, definitions, clock, log }),
    broadcast: new Broadcast({ members, clock, log }),
    ofPeers: new PeerRuns({ delivery, definitions, apiCommands, feed, leadership: member, runsHandlers }),
  };
}
