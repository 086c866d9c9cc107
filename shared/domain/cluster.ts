import type { ClusterMember, ClusterView } from '../schemas/cluster.ts';
import type { PeerStanding } from '../schemas/peer-standing.ts';

/** Who writes after a hand-over; `refused`: nobody else can, and why. */
export type Succession =
  | { readonly kind: 'to'; readonly member: ClusterMember }
  | { readonly kind: 'refused'; readonly code: 'invalid' | 'not_found' | 'conflict'; readonly reason: string };

/**
 * The member that takes over when the one that writes hands over.
 *
 * @param to its id or name; undefined: of the others the one that is least behind
 */
export function successionOf(view: ClusterView, to: string | undefined): Succession {
  const { members, writer } = view;
  const others = members.filter(({ id }) => id !== writer?.id);
  if (members.length < 2) return { kind: 'refused', code: 'invalid', reason: ALONE[view.database.kind] };
  if (to === undefined) {
    const [least] = others
      .filter(({ state, problem }) => state === 'ok' && problem === undefined)
      .toSorted((a, b) => a.behind - b.behind);
    if (least !== undefined) return { kind: 'to', member: least };
    return { kind: 'refused', code: 'conflict', reason: 'every other member is behind, gone or not believed' };
  }
  // An id names one member, whatever the others are called.
  const byId = members.find(({ id }) => id === to);
  const named = byId === undefined ? members.filter(({ name }) => name === to) : [byId];
  const [member] = named;
  if (member === undefined) return { kind: 'refused', code: 'not_found', reason: `there is no member ${to}` };
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(', ');
    return { kind: 'refused', code: 'invalid', reason: `several members have the name ${to}: use an id, ${ids}` };
  }
  const reason = refusalOf(member, writer?.id);
  return reason === undefined ? { kind: 'to', member } : { kind: 'refused', code: 'conflict', reason };
}

const ALONE: Readonly<Record<ClusterView['database']['kind'], string>> = {
  leveldb:
    'there is no other member: this backend uses a LevelDB store; a cluster needs --store postgres://…, see docs/scale-out.md',
  postgres: 'there is no other member: no other backend uses this database',
};

function refusalOf({ id, name, state, problem }: ClusterMember, writer: string | undefined): string | undefined {
  if (id === writer) return `${name} is the leader already`;
  if (state === 'gone') return `${name} has sent no heartbeat for a while`;
  if (problem !== undefined) return `${name} ${problem}`;
  return state === 'behind' ? `${name} is too far behind` : undefined;
}

/** What the member that answers cannot do or know at the moment. */
export interface ClusterTrouble {
  /**
   * `away`: it has lost the database; `no-writer`: nobody writes; `behind`: what it shows is old; `unproved`: it
   * exchanges nothing with another member.
   */
  readonly kind: 'away' | 'no-writer' | 'behind' | 'unproved';
  /** For people, without a full stop. */
  readonly text: string;
}

/**
 * What keeps the member that answers from being of full use, the worst first; none: all is well. A store in a directory
 * that fails is told elsewhere.
 */
export function clusterTroubles(view: ClusterView): readonly ClusterTrouble[] {
  const { database, writer } = view;
  if (database.kind === 'leveldb') return [];
  const own = answeringMember(view);
  return [
    ...(database.state === 'away' ? [{ kind: 'away', text: 'database away: writes wait' } as const] : []),
    ...(writer === null ? [{ kind: 'no-writer', text: 'no leader: writes wait' } as const] : []),
    ...(own?.state === 'behind'
      ? [{ kind: 'behind', text: `member ${own.name} is ${String(own.behind)} writes behind` } as const]
      : []),
    ...view.members.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [{ kind: 'unproved', text: `member ${name} ${problem}` } as const],
    ),
  ];
}

/** Its name, or its id when nothing else is known of it; undefined: nobody writes. */
export function writerName({ writer, members }: ClusterView): string | undefined {
  return members.find(({ id }) => id === writer?.id)?.name ?? writer?.id;
}

/** Undefined: it is not among those that are known, as for a moment after its start. */
export function answeringMember({ answered_by: id, members }: ClusterView): ClusterMember | undefined {
  return members.find((member) => member.id === id);
}

/**
 * The first member whose major version is another one: what it writes, this program may not understand. Versions are as
 * `1.4.0`.
 */
export function foreignMember<Member extends { readonly version: string }>(
  members: readonly Member[],
  version: string,
): Member | undefined {
  return members.find((member) => majorOf(member.version) !== majorOf(version));
}

const majorOf = (version: string): string => version.split('.', 1)[0] ?? '';

/**
 * How far the store is, for a member that cannot ask the database itself.
 *
 * @param standings of the others that answered it
 * @returns undefined: the database is away for all who are known of, so that nobody can have more in a moment
 */
export function newestHeard(standings: readonly PeerStanding[]): number | undefined {
  const seqs = standings.filter((standing) => standing.hears_database).map(({ seq }) => seq);
  return seqs.length === 0 ? undefined : Math.max(...seqs);
}
