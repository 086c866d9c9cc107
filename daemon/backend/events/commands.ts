import type { EventState } from '../../../shared/domain/event.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import { BACKEND_ACTOR, recordAudit, auditTarget } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { resolveEvent } from '../results/resolve-event.ts';

/** Resolves events on request of an operator. */
export class Events {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Resolves an event by processing an OK result for it, in the same way as a result from an agent (completion 1.4).
   *
   * @param action name of this operation in the audit trail
   * @param refuse callback that gets the open event, and can throw to reject the request
   * @throws MonError `not_found` if there is no such event, `unavailable` if the change cannot be committed
   */
  resolve(
    namespaceName: string,
    client: string,
    check: string,
    actor: Actor = BACKEND_ACTOR,
    action: 'event.resolve' | 'event.delete' = 'event.resolve',
    refuse: (event: EventState) => void = () => undefined,
  ): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const entry = transaction.registry.namespace(namespaceName).check(client, check);
        if (entry?.state.event === undefined)
          throw new MonError('not_found', `there is no event of ${client}/${check}`);
        refuse(entry.state.event);
        const before = auditedEvent(entry);
        resolveEvent(transaction, entry, actor.who);
        recordAudit(transaction, actor, { action, target: auditTarget(namespaceName, `${client}/${check}`), before });
      },
      {
        needs: (registry) => {
          const entry = registry.namespace(namespaceName).check(client, check);
          return entry?.state.event === undefined ? [] : [entry];
        },
      },
    );
  }
}

/** Returns a summary of the open event of `entry` for the audit trail; null if no event is open. */
export function auditedEvent({ state: { event }, summary }: CheckEntry): unknown {
  if (event === undefined) return null;
  const { id, status, action, occurrences, timestamp } = event;
  return { id, status, action, occurrences, timestamp, output: summary };
}
