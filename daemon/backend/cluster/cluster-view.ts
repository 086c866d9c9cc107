import type { ClusterMember, ClusterView } from '../../../shared/schemas/cluster.ts';
import type { MemberStanding, StoredMember } from '../store/shared-store.ts';

/** Time without a heartbeat after which a member counts as lost. */
export const LOST_MS = 5000;

/** The state that this member knows about itself, which is more recent than its row in the database. */
interface ViewOfSelf {
  readonly id: string;
  /** Sequence number of the newest write in the memory of this member. */
  readonly seq: number;
  /** Sequence number of the newest write that this member knows of, even if it is not in memory yet. */
  readonly newest: number;
  readonly isTooFarBehind: boolean;
  /** Reasons why this member exchanges no data with other members, by the id of the other member. */
  readonly problems: ReadonlyMap<string, string>;
}

interface ViewOfDatabase {
  /** Location of the database as operators see it, without secrets such as the password. */
  readonly location: string;
  /** The reason why the database cannot be queried; null while the database responds. */
  readonly problem: string | null;
}

/**
 * Returns the state of the cluster, as one member sees it.
 *
 * @param standing the lease and the list of members, as last read from the database; undefined before they were first
 *   read
 */
export function clusterViewOf(
  standing: MemberStanding | undefined,
  self: ViewOfSelf,
  database: ViewOfDatabase,
): ClusterView {
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
 * True if this member is a backend that was killed and restarted. In that case a newer member has the same name and
 * URL, and started after this member was last seen. The holder of the lease never counts as replaced, because no other
 * member can write yet.
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
  // The leader has all writes in memory, but the number in its last heartbeat can already be outdated.
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
