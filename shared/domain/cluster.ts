import type { ClusterMember, ClusterView } from '../schemas/cluster.ts';
import type { PeerStanding } from '../schemas/peer-standing.ts';

/** The outcome of choosing a member, for example as the next leader: the member, or `refused` with a reason. */
export type MemberChoice =
  | { readonly kind: 'to'; readonly member: ClusterMember }
  | { readonly kind: 'refused'; readonly code: 'invalid' | 'not_found' | 'conflict'; readonly reason: string };

/**
 * Chooses the member that becomes leader when the leader hands over.
 *
 * @param to id or name of the member; if undefined, the other member with the smallest lag is chosen
 */
export function chooseNextLeader(view: ClusterView, to: string | undefined): MemberChoice {
  const { members, leader } = view;
  const others = members.filter(({ id }) => id !== leader?.id);
  if (members.length < 2)
    return { kind: 'refused', code: 'invalid', reason: NO_OTHER_MEMBER_REASONS[view.database.kind] };
  if (to === undefined) {
    const [least] = others
      .filter(({ state, problem }) => state === 'ok' && problem === undefined)
      .toSorted((a, b) => a.lag - b.lag);
    if (least !== undefined) return { kind: 'to', member: least };
    return { kind: 'refused', code: 'conflict', reason: 'every other member lags, is lost or is not trusted' };
  }
  const choice = findMember(view, to);
  if (choice.kind === 'refused') return choice;
  const reason = refusalOf(choice.member, leader?.id);
  return reason === undefined ? choice : { kind: 'refused', code: 'conflict', reason };
}

const NO_OTHER_MEMBER_REASONS: Readonly<Record<ClusterView['database']['kind'], string>> = {
  leveldb:
    'there is no other member: this backend uses a LevelDB store; a cluster needs --store postgres://…, see docs/scale-out.md',
  postgres: 'there is no other member: no other backend uses this database',
};

function refusalOf({ id, name, state, problem }: ClusterMember, leader: string | undefined): string | undefined {
  if (id === leader) return `${name} is the leader already`;
  if (state === 'lost') return `${name} has sent no heartbeat for a while`;
  if (problem !== undefined) return `${name} ${problem}`;
  return state === 'lagging' ? `${name} is too far behind` : undefined;
}

/**
 * Chooses the member that is removed from the list. Only a lost member can be removed, because a running one would list
 * itself again at once.
 *
 * @param which id or name of the member
 */
export function chooseRemoval(view: ClusterView, which: string): MemberChoice {
  const choice = findMember(view, which);
  if (choice.kind === 'refused') return choice;
  const { id, name, state } = choice.member;
  if (state === 'lost' && id !== view.leader?.id) return choice;
  const reason = `${name} is not lost: stop it, and it leaves the list by itself`;
  return { kind: 'refused', code: 'conflict', reason };
}

/** Finds a member by its id, or by its name if only one member has it. */
function findMember({ members }: ClusterView, which: string): MemberChoice {
  // An id names exactly one member, even if others use the same text as their name.
  const byId = members.find(({ id }) => id === which);
  const named = byId === undefined ? members.filter(({ name }) => name === which) : [byId];
  const [member] = named;
  if (member === undefined) return { kind: 'refused', code: 'not_found', reason: `there is no member ${which}` };
  if (named.length === 1) return { kind: 'to', member };
  const ids = named.map(({ id }) => id).join(', ');
  return { kind: 'refused', code: 'invalid', reason: `several members have the name ${which}: use an id, ${ids}` };
}

/** A problem of the member that answered the request. */
export interface ClusterTrouble {
  /**
   * `unavailable`: the member cannot reach the database; `no-leader`: there is no leader; `lagging`: the data of the
   * member is old; `unproved`: it cannot exchange data with another member.
   */
  readonly kind: 'unavailable' | 'no-leader' | 'lagging' | 'unproved';
  /** Text for people, without a full stop. */
  readonly text: string;
}

/**
 * Returns the problems that limit the member that answered the request, the worst first; empty if it is healthy.
 * Failures of a LevelDB store are reported elsewhere.
 */
export function clusterTroubles(view: ClusterView): readonly ClusterTrouble[] {
  const { database, leader } = view;
  if (database.kind === 'leveldb') return [];
  const own = respondingMember(view);
  return [
    ...(database.state === 'unavailable' ? [{ kind: 'unavailable', text: 'database down: writes wait' } as const] : []),
    ...(leader === null ? [{ kind: 'no-leader', text: 'no leader: writes wait' } as const] : []),
    ...(own?.state === 'lagging'
      ? [{ kind: 'lagging', text: `member ${own.name} is ${String(own.lag)} writes behind` } as const]
      : []),
    ...view.members.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [{ kind: 'unproved', text: `member ${name} ${problem}` } as const],
    ),
  ];
}

/** Returns the name of the leader, or its id if no member with that id is listed; undefined if there is no leader. */
export function leaderName({ leader, members }: ClusterView): string | undefined {
  return members.find(({ id }) => id === leader?.id)?.name ?? leader?.id;
}

/** Returns the member that answered the request; undefined if it is not listed yet, shortly after its start. */
export function respondingMember({ member_id: id, members }: ClusterView): ClusterMember | undefined {
  return members.find((member) => member.id === id);
}

/**
 * Returns the first member whose major version differs from `version`, such as `1.4.0`; undefined if there is none.
 * This program cannot rely on understanding the data of such a member.
 */
export function foreignMember<Member extends { readonly version: string }>(
  members: readonly Member[],
  version: string,
): Member | undefined {
  return members.find((member) => majorOf(member.version) !== majorOf(version));
}

const majorOf = (version: string): string => version.split('.', 1)[0] ?? '';

/**
 * Returns the highest sequence number of a write that the other members know. A member that cannot reach the database
 * uses it to find out whether its data is old.
 *
 * @param standings states of the other members that answered
 * @returns undefined if none of these members reaches the database; then none can have newer data
 */
export function newestReportedSeq(standings: readonly PeerStanding[]): number | undefined {
  const seqs = standings.filter((standing) => standing.hears_database).map(({ seq }) => seq);
  return seqs.length === 0 ? undefined : Math.max(...seqs);
}
