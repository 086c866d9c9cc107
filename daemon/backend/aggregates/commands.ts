import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { BACKEND_ACTOR, recordAudit, auditTarget } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { AGGREGATE_DELETIONS } from '../model/aggregates/storage.ts';

/** Deletes aggregates on request. */
export class Aggregates {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Deletes an aggregate by removing all its members. Each check becomes a member again when its next result names the
   * aggregate (completion 1.7).
   *
   * @throws MonError `not_found` if there is no such aggregate, `unavailable`
   */
  remove(namespaceName: string, name: string, actor: Actor = BACKEND_ACTOR): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const aggregate = namespace.aggregates.get(name);
      if (aggregate === undefined) throw new MonError('not_found', `there is no aggregate ${name}`);
      const { clientCount: clients, checkCount: checks, size: results } = aggregate;
      namespace.deleteAggregate(aggregate);
      transaction.putLatest(AGGREGATE_DELETIONS, namespace, name);
      recordAudit(transaction, actor, {
        action: 'aggregate.delete',
        target: auditTarget(namespaceName, name),
        before: { clients, checks, results },
      });
    });
  }
}
