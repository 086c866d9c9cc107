import type { Actor } from '../../../shared/schemas/audit.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import { MON, recordAudit, targetIn } from '../audit/write.ts';
import type { Batcher } from '../commit/batcher.ts';
import { removeCheck } from '../events/saved.ts';
import { resolveEvent } from '../results/resolve-event.ts';

/** Clients whose results go together, so that a check of a large fleet does not hold up the results of others. */
const SLICE = 200;

/** What operators do to checks. */
export class Checks {
  readonly #batcher: Batcher;
  readonly #registry: Registry;

  constructor({ batcher, registry }: { readonly batcher: Batcher; readonly registry: Registry }) {
    this.#batcher = batcher;
    this.#registry = registry;
  }

  /**
   * Deletes what is known of a check for all clients: its events are resolved first, then result, history and the time of
   * the last OK go, and with them its memberships in aggregates (completion, Decisions). The definition stays, so
   * the next result begins anew. Clients follow one another in slices, each of them whole, with a
   * record of its own in the audit trail.
   *
   * @throws MonError `unavailable`; some clients may be done then, and asking again goes on with the others
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
    // Asked again each time: one may have been deleted in the meantime.
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
