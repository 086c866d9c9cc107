import type { ClusterMember, ClusterView } from '../../../shared/schemas/cluster.ts';
import type { Standing, StoredMember } from '../store/shared.ts';

/** The time without a heartbeat after which a member counts as lost. */
export const LOST_MS = 5000;

/** What a member knows of itself. */
interface ViewOfSelf {
  readonly id: string;
  /** Of the newest write in its memory. */
  readonly seq: number;
  /** Of the newest write that it knows of. */
  readonly newest: number;
  readonly isTooFarBehind: boolean;
  /** Why it exchanges nothing with other members, by their id. */
  readonly problems: ReadonlyMap<string, string>;
}

interface ViewOfDatabase {
  /** A directory, or a URL without credentials. */
  readonly location: string;
  /** The reason why it is unavailable; null: it is available. */
  readonly problem: string | null;
}

/** The cluster as one of its members sees it. @param standing what the database said last; undefined: nothing yet */
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
 * Whether a member was last seen before another one started at its address: it is the same backend, which was killed
 * and started again. While it still holds the lease it is shown, because no other member writes yet.
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
  { id, name, url, version, sinceMs, seenMs, seq: told }: StoredMember,
  { self, holder, nowMs }: { readonly self: ViewOfSelf; readonly holder: string | undefined; readonly nowMs: number },
): ClusterMember {
  const isSelf = id === self.id;
  // What others have told of themselves is older than what the writer has written since.
  const seq = isSelf ? self.seq : id === holder ? self.newest : told;
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
