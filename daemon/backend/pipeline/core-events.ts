import { MonError } from '../../../shared/errors.ts';
import { checkResultOf } from '../../../shared/domain/result.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { SubmittedCoreEntity } from '../../../shared/schemas/core/entity.ts';
import type { CheckResult, SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Definitions } from '../config/definitions.ts';
import type { Clock } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import { recordAudit } from './audit.ts';
import type { Batcher } from './batcher.ts';
import { refuseUnknownNamespace } from './declared.ts';
import { saveEntity } from './entities.ts';
import type { EntityLimit } from './entity-limit.ts';
import { auditedEvent, resolveEvent } from './events.ts';
import { handleRegistration } from './handle-registration.ts';
import { entriesNeeded, processResult, type IncomingResult } from './process-result.ts';
import type { Transaction } from './transaction.ts';
import { banned, isBanned } from './trust.ts';

/** An event of the newer API, as what it means to the model. */
export interface ReportedEvent {
  readonly entity: SubmittedCoreEntity;
  /** With a `source` when it is about another entity. */
  readonly result: SubmittedResult;
  /** Whether an OK resolves the event whatever the definition of the check says: somebody resolves it by hand. */
  readonly isResolution: boolean;
}

/** What is done to events through the newer API, which shows the result of a check and its event as one. */
export class CoreEvents {
  readonly #batcher: Batcher;
  readonly #definitions: Definitions;
  readonly #limit: EntityLimit;
  readonly #clock: Clock;

  constructor(parts: {
    readonly batcher: Batcher;
    readonly definitions: Definitions;
    readonly entityLimit: EntityLimit;
    readonly clock: Clock;
  }) {
    this.#batcher = parts.batcher;
    this.#definitions = parts.definitions;
    this.#limit = parts.entityLimit;
    this.#clock = parts.clock;
  }

  /**
   * Takes an event as a result. An entity that is not known is made from what the event says of it.
   *
   * @throws MonError `not_found` when there is no such namespace, `payment_required` when the entity is new and one too
   * many, `forbidden` when it was deleted with a ban, `unavailable`
   */
  submit(namespaceName: string, event: ReportedEvent, actor: Actor): Promise<void> {
    const incoming = this.#incoming(namespaceName, event);
    return this.#batcher.run(
      (transaction) => {
        refuseUnknownNamespace(transaction, namespaceName);
        const namespace = transaction.registry.namespace(namespaceName);
        if (isBanned(namespace, incoming.client, transaction.nowMs)) throw banned(incoming.client);
        this.#ensureClient(transaction, namespace, incoming, event, actor);
        const isForced = event.isResolution && incoming.check.status === 0;
        processResult(transaction, namespace, isForced ? resolving(namespace, incoming) : incoming);
      },
      { needs: (registry) => entriesNeeded(registry.namespace(namespaceName), [incoming]) },
    );
  }

  /**
   * Removes the result of a check with its event, which is resolved first as with every removal (completion, decisions).
   *
   * @throws MonError `not_found`, `unavailable`
   */
  remove(namespaceName: string, client: string, check: string, actor: Actor): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const entry = transaction.registry.namespace(namespaceName).check(client, check);
        if (entry === undefined) throw new MonError('not_found', `there is no event of ${client}/${check}`);
        const before = auditedEvent(entry) ?? { status: entry.status, executed: entry.executed };
        if (entry.state.event !== undefined) resolveEvent(transaction, entry);
        transaction.removeCheck(entry);
        recordAudit(transaction, actor, { action: 'event.delete', target: `${client}/${check}`, before });
      },
      {
        needs: (registry) => {
          const entry = registry.namespace(namespaceName).check(client, check);
          return entry?.state.event === undefined ? [] : [entry];
        },
      },
    );
  }

  #incoming(namespaceName: string, { entity, result }: ReportedEvent): IncomingResult {
    const definition = this.#definitions.in(namespaceName).check(result.name);
    const reporter = entity.metadata.name;
    // Nobody is told unless the event or a definition says so: the handler `default` is a matter of the legacy API.
    const submitted = definition === undefined ? { handlers: [], ...result } : result;
    const now = Math.floor(this.#clock.now() / 1000);
    const check = checkResultOf(submitted, { reporter, definition, now, issued: undefined });
    return { client: result.source ?? reporter, reporter, check };
  }

  #ensureClient(
    transaction: Transaction,
    namespace: Namespace,
    { client, reporter }: IncomingResult,
    { entity }: ReportedEvent,
    actor: Actor,
  ): void {
    if (namespace.clients.has(client)) return;
    this.#limit.refuseBeyond(namespace.name, client);
    // A result about another entity makes that one by itself, as every proxy result does.
    if (client === reporter) handleRegistration(transaction, saveEntity(transaction, namespace, entity, actor.who));
  }
}

/** The same, ending an event that its definition would keep open. */
function resolving(namespace: Namespace, incoming: IncomingResult): IncomingResult {
  const entry = namespace.check(incoming.client, incoming.check.name);
  if (entry?.state.event === undefined) return incoming;
  const check: CheckResult = { ...incoming.check, force_resolve: true };
  return { ...incoming, check };
}
