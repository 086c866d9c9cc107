import { COMPATIBLE_VERSION, VERSION } from '../../../shared/schemas/version.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { Clock } from '../ports.ts';
import type { OnV1 } from '../http/route.ts';
import type { BackendStatus } from './backend-status.ts';

/** State of the ways in, under the names that existing clients read; whole numbers only (clients 1.7). */
export interface Transport {
  readonly keepalives: Queue;
  readonly results: Queue;
}

interface Queue {
  readonly messages: number;
  readonly consumers: number;
}

/** Keepalives are never queued apart from results; one consumer takes in both, for as long as the backend serves. */
export function transportOf(status: BackendStatus): Transport {
  const consumers = status.isTakingResults ? 1 : 0;
  return {
    keepalives: { messages: 0, consumers },
    results: { messages: status.queuedResults, consumers },
  };
}

interface InfoDeps {
  readonly clock: Clock;
  readonly config: ConfigInForce;
  readonly status: BackendStatus;
}

/** `GET /info`, with the keys of the peer and our own under `mon` (completion, Decisions). */
export function infoOnV1({ clock, config, status }: InfoDeps): OnV1<'info'> {
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
          tasks: status.tasks,
          metrics: { cpu: cpuSeconds() },
          sensu,
          tessen: { enabled: false },
          timestamp: Math.floor(clock.now() / 1000),
        },
      ],
      mon: {
        version: VERSION,
        config: { loaded_at: config.loadedAt, error: config.error ?? null },
      },
    }),
  };
}

function cpuSeconds(): { readonly user: number; readonly system: number } {
  const { user, system } = process.cpuUsage();
  return { user: user / 1e6, system: system / 1e6 };
}
