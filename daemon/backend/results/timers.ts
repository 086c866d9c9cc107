import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import type { StaleResults } from './write-stale.ts';
import type { Clock } from '../ports.ts';
import type { CheckEntry, Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { plansOf } from '../model/plans/state.ts';

/** Number of results that one command writes, so that an outage of many clients does not fill the queue at once. */
const SLICE_RESULTS = 500;

interface TtlDependencies {
  readonly registry: Registry;
  readonly stale: StaleResults;
  /** The guard of disk space; if absent, results are never rejected because of low disk space. */
  readonly disk?: Pick<DiskGuard, 'isAwaitingBacklog'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Checks every second for results that became stale, and opens events for them (completion 1.14). */
export function watchTtls({ registry, stale, disk, clock, log }: TtlDependencies): Disposable {
  return clock.every(1000, () => {
    if (disk?.isAwaitingBacklog === true || plansOf(registry).isAwaitingBacklog(clock.now())) return;
    const now = Math.floor(clock.now() / 1000);
    for (const namespace of registry.namespaces()) {
      // A result that cannot be written is retried after its repeat interval, when the index returns it again.
      report(namespace, [...namespace.ttls.due(now)]).catch((error: unknown) => {
        log.warn(
          { reason: errorMessage(error) },
          'could not store events for checks whose TTL has expired, retrying soon',
        );
      });
    }
  });

  async function report(namespace: Namespace, entries: readonly CheckEntry[]): Promise<void> {
    for (let start = 0; start < entries.length; start += SLICE_RESULTS) {
      await stale.applyStaleResults(namespace.name, entries.slice(start, start + SLICE_RESULTS).map(namesOf));
    }
  }
}

/**
 * Returns the names of the client and the check. They are used because a reload of the registry can replace the entry
 * before its result is written.
 */
function namesOf({ client, name }: CheckEntry): readonly [client: string, check: string] {
  return [client.name, name];
}
