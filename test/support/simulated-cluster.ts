import type { Cluster } from '../../daemon/backend/cluster/cluster.ts';
import type { ClusterMember, ClusterView } from '../../shared/schemas/cluster.ts';

/** A simulated cluster whose state the test sets. */
export class SimulatedCluster implements Cluster {
  /** The view that `view` returns. */
  current: ClusterView;
  /** Ids of the members that handovers have named; `undefined` if a handover named none. */
  readonly handedTo: (string | undefined)[] = [];
  /** Ids of the members that were removed. */
  readonly removed: string[] = [];
  readonly acceptsWrites = true;
  /** Performs a handover; by default the named member becomes leader immediately. */
  onHandOver: (to: string | undefined) => Promise<ClusterView> = (to) => {
    this.current = writtenBy(this.current, to ?? '');
    return Promise.resolve(this.current);
  };

  constructor(current: ClusterView) {
    this.current = current;
  }

  view(): ClusterView {
    return this.current;
  }

  remove(id: string): Promise<ClusterView> {
    this.removed.push(id);
    this.current = { ...this.current, members: this.current.members.filter((member) => member.id !== id) };
    return Promise.resolve(this.current);
  }

  handOver(to: string | undefined): Promise<ClusterView> {
    this.handedTo.push(to);
    return this.onHandOver(to);
  }
}

const CLUSTER_START = 1_795_000_000;

/** Returns a healthy follower with the id `HOST-id` that is up to date, with overrides. */
export function aMember(host: string, more: Partial<ClusterMember> = {}): ClusterMember {
  return {
    id: `${host}-id`,
    name: `${host}:4567`,
    url: `https://${host}.example.org:4567`,
    version: '1.0.0',
    since: CLUSTER_START,
    last_seen: CLUSTER_START + 600,
    role: 'follower',
    state: 'ok',
    seq: 1200,
    lag: 0,
    ...more,
  };
}

/** Returns a cluster of three members with a PostgreSQL database, with overrides. The leader `web1` responds. */
export function aClusterView(more: Partial<ClusterView> = {}): ClusterView {
  return {
    member_id: 'web1-id',
    leader: { id: 'web1-id', since: CLUSTER_START + 60, epoch: 7 },
    seq: 1200,
    database: { kind: 'postgres', location: 'postgres://db-1:5432,db-2:5432/mon', state: 'ok', problem: null },
    members: [aMember('web1', { role: 'leader' }), aMember('web2'), aMember('web3')],
    ...more,
  };
}

/** Returns the view of a cluster right after another member has become leader. */
export function writtenBy(view: ClusterView, id: string): ClusterView {
  return {
    ...view,
    leader: { id, since: CLUSTER_START + 600, epoch: (view.leader?.epoch ?? 0) + 1 },
    members: view.members.map((member) =>
      Object.assign({}, member, { role: member.id === id ? 'leader' : 'follower' } as const),
    ),
  };
}
