import { createHash } from 'node:crypto';
import type { ClusterMember } from '../../../shared/schemas/cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Store } from '../ports.ts';
import type { BackendStatus } from './backend-status.ts';

/** The status, store and cluster from which the member list is built. */
export interface MemberDependencies {
  readonly status: BackendStatus;
  readonly store: Store;
  readonly cluster: Cluster;
}

interface MemberId {
  readonly number: number;
  /** The number in hexadecimal. */
  readonly hex: string;
}

/** A cluster member as the v2 API shows it. */
export interface V2Member {
  readonly id: MemberId;
  readonly name: string;
  readonly urls: readonly string[];
  /** The problem of the member; the empty string if there is none. */
  readonly problem: string;
}

/** Derives a number from the id of the store or of a member. The number is always the same for an id. */
export function memberId(text: string): MemberId {
  const hex = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { number: Number.parseInt(hex, 16), hex };
}

/**
 * Returns the cluster members. A single backend uses the id of the store as its id, because that is the same after each
 * start. It has no URLs, because there are no other members.
 */
export function v2Members({ status, store, cluster }: MemberDependencies): {
  readonly own: MemberId;
  readonly members: readonly V2Member[];
} {
  const { member_id: ownId, members } = cluster.view();
  const problem = problemOf(status);
  if (members.length < 2) {
    const ownMember = { id: memberId(store.id), name: status.hostname, urls: [], problem };
    return { own: ownMember.id, members: [ownMember] };
  }
  return {
    own: memberId(ownId),
    members: members.map((member) => ({
      id: memberId(member.id),
      name: member.name,
      urls: [member.url],
      problem: (member.id === ownId ? problem : '') || PROBLEM_TEXTS[member.state],
    })),
  };
}

const PROBLEM_TEXTS: Readonly<Record<ClusterMember['state'], string>> = {
  ok: '',
  lagging: 'it is too far behind',
  lost: 'it has sent no heartbeat for a while',
};

/** Returns the problem of this backend; the empty string if there is none. */
function problemOf({ isStoreOpen, acceptsResults: isTakingResults }: BackendStatus): string {
  if (!isStoreOpen) return 'the store does not accept writes';
  return isTakingResults ? '' : 'the backend is stopping';
}
