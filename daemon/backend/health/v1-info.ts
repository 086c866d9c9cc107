import { COMPATIBLE_VERSION, VERSION } from '../../../shared/schemas/version.ts';
import type { ClusterMember } from '../../../shared/schemas/cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { Clock } from '../ports.ts';
import type { V1Handlers } from '../http/route.ts';
import type { BackendStatus } from './backend-status.ts';

/**
 * The queues of keepalives and results, under the names that existing clients read. All values are integers (clients
 * 1.7).
 */
export interface Transport {
  readonly keepalives: Queue;
  readonly results: Queue;
}

interface Queue {
  readonly messages: number;
  readonly consumers: number;
}

/**
 * Returns the state of both queues. Keepalives are in the queue of results, so their own queue is always empty. The
 * backend counts as one consumer of each queue while it accepts results.
 */
export function transportOf(status: BackendStatus): Transport {
  const consumers = status.acceptsResults ? 1 : 0;
  return {
    keepalives: { messages: 0, consumers },
    results: { messages: status.queuedResults, consumers },
  };
}

interface InfoDependencies {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly config: ConfigInForce;
  readonly status: BackendStatus;
}

/** Serves `GET /info` with the keys of Sensu, and with mon's own values under `mon` (completion, Decisions). */
export function infoOnV1({ clock, cluster, config, status }: InfoDependencies): V1Handlers<'info'> {
  const sensu = {
    version: COMPATIBLE_VERSION,
    get settings() {
      return { hexdigest: config.hexdigest };
    },
  };
  return {
    info: () => ({
      sensu,
      transport: { name: 'websocket', ...transportOf(status), connected: status.acceptsResults },
      redis: { connected: status.isStoreOpen },
      servers: [
        {
          id: status.id,
          hostname: status.hostname,
          address: status.address,
          tasks: tasksOf(cluster, status),
          metrics: { cpu: cpuSeconds() },
          sensu,
          tessen: { enabled: false },
          timestamp: Math.floor(clock.now() / 1000),
        },
        ...otherServers(cluster, status),
      ],
      mon: {
        version: VERSION,
        config: { loaded_at: config.loadedAt, error: config.rejectionReason ?? null },
      },
    }),
  };
}

/** Returns the scheduled tasks of this member; empty on a follower, because only the leader runs the tasks. */
function tasksOf(cluster: Cluster, { tasks }: BackendStatus): readonly string[] {
  const { member_id: id, leader, members } = cluster.view();
  return members.length < 2 || leader?.id === id ? tasks : [];
}

/** Returns the other members of the cluster. Their CPU times are omitted, because this member does not know them. */
function otherServers(cluster: Cluster, status: BackendStatus): readonly object[] {
  const { member_id: ownId, members } = cluster.view();
  return members
    .filter(({ id }) => id !== ownId)
    .map(({ id, name, url, role, last_seen: timestamp }: ClusterMember) => ({
      id,
      hostname: name,
      address: URL.parse(url)?.hostname ?? url,
      tasks: role === 'leader' ? status.tasks : [],
      sensu: { version: COMPATIBLE_VERSION },
      tessen: { enabled: false },
      timestamp,
    }));
}

function cpuSeconds(): { readonly user: number; readonly system: number } {
  const { user, system } = process.cpuUsage();
  return { user: user / 1e6, system: system / 1e6 };
}
