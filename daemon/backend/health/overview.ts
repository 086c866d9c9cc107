import type { Overview } from '../../../shared/schemas/overview.ts';
import { RATE_PERIOD_MS, type Activity } from './activity.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import type { Metrics } from './metrics.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import type { Clock } from '../ports.ts';
import type { RequestedNamespaces } from '../namespaces/request-namespaces.ts';
import { eventsNamedBy } from '../model/registry/silenced-events.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';

export interface OverviewDependencies {
  readonly activity: Pick<Activity, 'noisiest' | 'rates'>;
  readonly batcher: Pick<Batcher, 'queued'>;
  readonly clock: Clock;
  readonly entityLimit: Pick<EntityLimit, 'usage'>;
  readonly feed: Pick<FeedHub, 'size'>;
  readonly metrics: Pick<Metrics, 'writeP99Ms' | 'responseP99Ms'>;
  readonly registry: Registry;
}

/** The maximum number of listed checks with the most event changes. */
const NOISIEST_CHECKS_MAX = 10;

/** Seconds without a keepalive after which a stale client counts as lost. */
const LOST_SECONDS = 3600;

/**
 * Returns the summary of the backend for `GET /overview`.
 *
 * @param selection namespaces whose checks and clients are counted; all other values are about the whole backend
 */
export function overviewOf(parts: OverviewDependencies, selection: RequestedNamespaces): Overview {
  const { activity, batcher, clock, entityLimit, feed, metrics } = parts;
  const now = Math.floor(clock.now() / 1000);
  return {
    at: now,
    noisiest: selection.namespaces
      .flatMap((namespace) =>
        activity.noisiest(NOISIEST_CHECKS_MAX, namespace.name).map(({ check, events }) => {
          return selection.withNamespaceName(
            { check, events, clients: openEventCountOf(namespace, check) },
            namespace.name,
          );
        }),
      )
      .toSorted((a, b) => b.events - a.events)
      .slice(0, NOISIEST_CHECKS_MAX),
    results: { period: RATE_PERIOD_MS / 1000, rates: activity.rates },
    clients: clientCounts(selection.namespaces, now),
    entities: entityLimit.usage(),
    queue: { results: batcher.queued },
    store: { write_p99_ms: roundMs(metrics.writeP99Ms()) },
    api: { response_p99_ms: roundMs(metrics.responseP99Ms()) },
    feed: { consumers: feed.size },
  };
}

/** Returns the number of clients on which this check has an open event. */
function openEventCountOf(namespace: Namespace, check: string): number {
  return [...eventsNamedBy(namespace, null, check)].length;
}

function clientCounts(namespaces: readonly Namespace[], now: number): Overview['clients'] {
  const counts = { registered: 0, stale: 0, lost: 0 };
  for (const { clients } of namespaces) {
    counts.registered += clients.size;
    for (const { isDown, timestamp } of clients.values()) {
      if (!isDown) continue;
      counts.stale++;
      if (now - timestamp > LOST_SECONDS) counts.lost++;
    }
  }
  return counts;
}

function roundMs(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms * 100) / 100;
}
