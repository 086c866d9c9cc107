import { resolvesWhenStale, staleResult } from '../../../shared/domain/ttl.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Batcher } from '../commit/batcher.ts';
import { processResult } from './process-result.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import { retireResult } from './retire-ttls.ts';
import { ttlDefinitionsOf } from '../model/results/ttl-definitions.ts';

/**
 * Opens events for stale results (no new result within the TTL), and ends the TTL of results whose check definition
 * lost its `ttl`.
 */
export class StaleResults {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Applies a stale result to each of these checks. A check is skipped if a result has arrived since. If the keepalive
   * event of its client is open, a check is skipped too, unless a stale result would resolve its event. If the
   * definition of a check was removed meanwhile, its TTL ends instead.
   *
   * @throws MonError `unavailable`
   */
  applyStaleResults(
    namespaceName: string,
    names: readonly (readonly [client: string, check: string])[],
  ): Promise<void> {
    const entriesOf = (registry: Registry): CheckEntry[] =>
      names.flatMap(([client, check]) => registry.namespace(namespaceName).check(client, check) ?? []);
    return this.#batcher.run(
      (transaction) => {
        const { now } = transaction;
        for (const entry of entriesOf(transaction.registry)) {
          const isStale = entry.ttl > 0 && entry.executed + entry.ttl <= now;
          if (!isStale) continue;
          const { check } = transaction.body(CHECK_RECORDS, entry);
          if (check !== null && ttlDefinitionsOf(transaction.registry).isRetired(namespaceName, check)) {
            retireResult(transaction, entry);
            continue;
          }
          if (check === null || (entry.client.isDown && !resolvesWhenStale(check))) continue;
          const { name: client, namespace } = entry.client;
          processResult(transaction, namespace, { client, reporter: client, check: staleResult(check, client, now) });
        }
      },
      { weight: names.length, needs: entriesOf },
    );
  }
}
