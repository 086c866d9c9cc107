import { createHash } from 'node:crypto';
import type { ClusterMember } from '../../../shared/schemas/cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Store } from '../ports.ts';
import type { BackendStatus } from './backend-status.ts';

/** The sources of the member list. */
export interface MemberDeps {
  readonly status: BackendStatus;
  readonly store: Store;
  readonly cluster: Cluster;
}

interface MemberId {
  readonly number: number;
  /** The id in hexadecimal. */
  readonly hex: string;
}

/** A member in the form of the v2 API. */
export interface V2Member {
  readonly id: MemberId;
  readonly name: string;
  readonly urls: readonly string[];
  /** The problem of the member; empty: none. */
  readonly problem: string;
}

/** Derives a stable number from a text: the id of the store, or of a member. */
export function memberId(text: string): MemberId {
  const hex = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { number: Number.parseInt(hex, 16), hex };
}

/**
 * Returns the members. A single backend uses the id of the store, which is the same after each start. It reports no
 * addresses, because it replicates to no other member.
 */
export function v2Members({ status, store, cluster }: MemberDeps): {
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
      problem: (member.id === ownId ? problem : '') || PROBLEMS[member.state],
    })),
  };
}

const PROBLEMS: Readonly<Record<ClusterMember['state'], string>> = {
  ok: '',
  lagging: 'it is too far behind',
  lost: 'it has sent no heartbeat for a while',
};

/** Returns the problem of this backend; empty: none. */
function problemOf({ isStoreOpen, isTakingResults }: BackendStatus): string {
  if (!isStoreOpen) return 'the store does not accept writes';
  return isTakingResults ? '' : 'the backend is stopping';
}
