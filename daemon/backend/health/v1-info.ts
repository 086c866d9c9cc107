import { COMPATIBLE_VERSION, VERSION } from '../../../shared/schemas/version.ts';
import type { ClusterMember } from '../../../shared/schemas/cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { Clock } from '../ports.ts';
import type { OnV1 } from '../http/route.ts';
import type { BackendStatus } from './backend-status.ts';

/** The state of the inputs, under the names that existing clients read; integers only (clients 1.7). */
export interface Transport {
  readonly keepalives: Queue;
  readonly results: Queue;
}

interface Queue {
  readonly messages: number;
  readonly consumers: number;
}

/** Keepalives share the queue of results. One consumer processes both, as long as the backend accepts results. */
export function transportOf(status: BackendStatus): Transport {
  const consumers = status.isTakingResults ? 1 : 0;
  return {
    keepalives: { messages: 0, consumers },
    results: { messages: status.queuedResults, consumers },
  };
}

interface InfoDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly config: ConfigInForce;
  readonly status: BackendStatus;
}

/** `GET /info`, with the keys of Sensu and our own under `mon` (completion, Decisions). */
export function infoOnV1({ clock, cluster, config, status }: InfoDeps): OnV1<'info'> {
  const sensu = {
    version: COMPATIBLE_VERSION,
    get settings() {
      return { hexdigest: config.hexdigest };
    },
  };
  return {
    info: () => ({
      sensu,
      transport: { name: 'websocket', ...transportOf(status), connected: status.isTakingResults },
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
        ...othersIn(cluster, status),
      ],
      mon: {
        version: VERSION,
        config: { loaded_at: config.loadedAt, error: config.error ?? null },
      },
    }),
  };
}

/** Returns the scheduled tasks: only the leader has any. */
function tasksOf(cluster: Cluster, { tasks }: BackendStatus): readonly string[] {
  const { member_id: id, leader, members } = cluster.view();
  return members.length < 2 || leader?.id === id ? tasks : [];
}

/** Returns the other members. Their CPU times are unknown here and therefore absent. */
function othersIn(cluster: Cluster, status: BackendStatus): readonly object[] {
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
