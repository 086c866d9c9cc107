import type { Actor } from '../../../shared/schemas/audit.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { MON, recordAudit, targetIn } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { removeCheck } from '../model/events/mutations.ts';
import { resolveEvent } from '../results/resolve-event.ts';

/**
 * Number of clients whose results are deleted together, so that a check of a large fleet does not delay other results.
 */
const SLICE = 200;

/** The actions of operators on checks. */
export class Checks {
  readonly #batcher: Batcher;
  readonly #registry: Registry;

  constructor({ batcher, registry }: { readonly batcher: Batcher; readonly registry: Registry }) {
    this.#batcher = batcher;
    this.#registry = registry;
  }

  /**
   * Deletes the state of a check for all clients. Its events are resolved first. Then result, history and the time of
   * the last OK are deleted, and with them its memberships in aggregates (completion, Decisions). The definition stays,
   * so the next result starts anew. Clients are processed in batches, each in one commit with its own record in the
   * audit trail.
   *
   * @throws MonError `unavailable`; some clients may be done then, and a repeated call continues with the others
   */
  async remove(namespaceName: string, check: string, actor: Actor = MON): Promise<void> {
    const clients: string[] = [];
    for (const client of this.#registry.namespace(namespaceName).clients.values()) {
      if (client.checks.has(check)) clients.push(client.name);
    }
    for (let start = 0; start < clients.length; start += SLICE) {
      await this.#removeOf(namespaceName, clients.slice(start, start + SLICE), check, actor);
    }
  }

  #removeOf(namespaceName: string, clients: readonly string[], check: string, actor: Actor): Promise<void> {
    // Looked up each time, because a check may have been deleted meanwhile.
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
        recordAudit(transaction, actor, { action: 'check.delete', target: targetIn(namespaceName, check), before });
      },
      {
        weight: clients.length,
        needs: (registry) => entries(registry).filter(({ state }) => state.event !== undefined),
      },
    );
  }
}
