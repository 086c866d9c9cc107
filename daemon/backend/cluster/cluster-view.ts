import type { ClusterMember, ClusterView } from '../../../shared/schemas/cluster.ts';
import type { Standing, StoredMember } from '../store/shared-store.ts';

/** A member that was not seen for this long counts as gone. */
export const LOST_MS = 5000;

/** The state that a member knows about itself. */
interface ViewOfSelf {
  readonly id: string;
  /** Sequence number of the newest write in its memory. */
  readonly seq: number;
  /** Sequence number of the newest write that it knows of. */
  readonly newest: number;
  readonly isTooFarBehind: boolean;
  /** Reasons why it exchanges nothing with other members, by their id. */
  readonly problems: ReadonlyMap<string, string>;
}

interface ViewOfDatabase {
  /** Location of the database for operators, without secrets. */
  readonly location: string;
  /** The reason why the database cannot be queried; null: it responds. */
  readonly problem: string | null;
}

/**
 * Returns the cluster as one of its members sees it. @param standing the last state read from the database; undefined:
 * none yet
 */
export function clusterViewOf(standing: Standing | undefined, self: ViewOfSelf, database: ViewOfDatabase): ClusterView {
  const { lease, members = [], nowMs = 0 } = standing ?? {};
  const holder = lease !== undefined && lease.goodUntilMs > nowMs ? lease.holder : undefined;
  return {
    member_id: self.id,
    leader:
      holder === undefined || lease === undefined
        ? null
        : { id: holder, since: Math.floor(lease.sinceMs / 1000), epoch: lease.epoch },
    seq: self.newest,
    database: { kind: 'postgres', ...database, state: database.problem === null ? 'ok' : 'unavailable' },
    members: members
      .filter((member) => !isReplaced(member, members, { self, holder }))
      .map((member) => shownMember(member, { self, holder, nowMs })),
  };
}

/**
 * True if a member was last seen before another one started at its address: it is the same backend, which was killed
 * and restarted. While it still holds the lease it is shown, because no other member writes yet.
 */
function isReplaced(
  { id, name, url, seenMs }: StoredMember,
  members: readonly StoredMember[],
  { self, holder }: { readonly self: ViewOfSelf; readonly holder: string | undefined },
): boolean {
  if (id === self.id || id === holder) return false;
  return members.some(
    (other) => other.name === name && other.url === url && other.sinceMs >= seenMs && other.id !== id,
  );
}

function shownMember(
  { id, name, url, version, sinceMs, seenMs, seq: reportedSeq }: StoredMember,
  { self, holder, nowMs }: { readonly self: ViewOfSelf; readonly holder: string | undefined; readonly nowMs: number },
): ClusterMember {
  const isSelf = id === self.id;
  // The sequence number that another member reported is older than the newest write of the leader.
  const seq = isSelf ? self.seq : id === holder ? self.newest : reportedSeq;
  const isLost = nowMs - seenMs > LOST_MS;
  const problem = isLost ? undefined : self.problems.get(id);
  return {
    id,
    name,
    url,
    version,
    since: Math.floor(sinceMs / 1000),
    last_seen: Math.floor(seenMs / 1000),
    role: id === holder ? 'leader' : 'follower',
    state: isLost ? 'lost' : isSelf && self.isTooFarBehind ? 'lagging' : 'ok',
    seq,
    lag: Math.max(0, self.newest - seq),
    ...(problem !== undefined && { problem }),
  };
}
