import type { Actor } from '../../../shared/schemas/audit.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { BACKEND_ACTOR, recordAudit, auditTarget } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { removeCheck } from '../model/events/mutations.ts';
import { resolveEvent } from '../results/resolve-event.ts';

/**
 * Maximum number of clients whose results are deleted in one commit, so that deleting a check of a large fleet does not
 * delay other results.
 */
const SLICE_CLIENTS = 200;

/** Deletes the results of checks on request of an operator. */
export class Checks {
  readonly #batcher: Batcher;
  readonly #registry: Registry;

  constructor({ batcher, registry }: { readonly batcher: Batcher; readonly registry: Registry }) {
    this.#batcher = batcher;
    this.#registry = registry;
  }

  /**
   * Deletes the state of a check on all clients: it resolves the events, then deletes the results, the histories, the
   * times of the last OK and the memberships in aggregates (completion, Decisions). The definition remains, so the next
   * result starts a new history. Clients are processed in batches, each in one commit with its own record in the audit
   * trail.
   *
   * @throws MonError `unavailable` if a batch cannot be committed; earlier batches remain deleted, and a repeated call
   *   continues with the remaining clients
   */
  async remove(namespaceName: string, check: string, actor: Actor = BACKEND_ACTOR): Promise<void> {
    const clients: string[] = [];
    for (const client of this.#registry.namespace(namespaceName).clients.values()) {
      if (client.checks.has(check)) clients.push(client.name);
    }
    for (let start = 0; start < clients.length; start += SLICE_CLIENTS) {
      await this.#removeOf(namespaceName, clients.slice(start, start + SLICE_CLIENTS), check, actor);
    }
  }

  #removeOf(namespaceName: string, clients: readonly string[], check: string, actor: Actor): Promise<void> {
    // Looks up the checks at each call, because some may have been deleted in the meantime.
    const entries = (registry: Registry): CheckEntry[] => {
      const namespace = registry.namespace(namespaceName);
      return clients.flatMap((client) => namespace.check(client, check) ?? []);
    };
    return this.#batcher.run(
      (transaction) => {
        const removed = entries(transaction.registry);
        if (removed.length === 0) return;
        const before = removed.map(({ client, status, state }) => ({
          client: client.name,
          status: status ?? null,
          event: state.event?.id ?? null,
        }));
        for (const entry of removed) {
          if (entry.state.event !== undefined) resolveEvent(transaction, entry, actor.who);
          removeCheck(transaction, entry, actor.who);
        }
        recordAudit(transaction, actor, { action: 'check.delete', target: auditTarget(namespaceName, check), before });
      },
      {
        weight: clients.length,
        needs: (registry) => entries(registry).filter(({ state }) => state.event !== undefined),
      },
    );
  }
}
