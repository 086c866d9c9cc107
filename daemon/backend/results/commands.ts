import { MonError } from '../../../shared/errors.ts';
import { NO_CHECK_STATE } from '../../../shared/domain/event.ts';
import { checkResultOf, clientNameOfResult } from '../../../shared/domain/result.ts';
import type { DeltaResult } from '../../../shared/schemas/agent.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Clock } from '../ports.ts';
import type { CheckEntry, Namespace } from '../model/registry/namespace.ts';
import type { Definitions, NamespaceDefinitions } from '../model/config/definitions.ts';
import { AttributeBounds } from './attribute-bounds.ts';
import { BACKEND_ACTOR, recordAudit, auditTarget } from '../model/audit/mutations.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import { ALWAYS_ADMITTED } from '../access/admission.ts';
import type { Batcher } from '../commit/batcher.ts';
import {
  API_REPORTER,
  frozenEvent,
  processReported,
  processResult,
  recordsNeeded,
  type IncomingResult,
  refusalOfNew,
} from './process-result.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { TimeSlice } from '../store/time-slice.ts';
import { bannedClientError, isBannedClient } from './trust.ts';
import { validateResult } from './validate-result.ts';
import { removeCheck, saveCheck } from '../model/events/mutations.ts';
import { removeSeries } from '../model/results/mutations.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import {
  AgentDelivery,
  type AgentResults,
  type DeliveredResult,
  type ProxyLimits,
  type Refusal,
  type Settlement,
  type UncheckedResult,
} from './agent-delivery.ts';

interface ResultDependencies {
  readonly batcher: Batcher;
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly limits: ProxyLimits;
  /** Limits of the attributes of results; by default, the limits of the default settings. */
  readonly attributes?: AttributeBounds;
}

/** The outcome of a request in which no result was rejected, shared to avoid an allocation. */
const NO_REFUSALS: ReadonlyMap<number, MonError> = new Map();

/** Accepts check results from all sources. */
export class Results {
  /** Number of results that were rejected so far, by reason. It includes results of agents and of API requests. */
  readonly rejected: Record<Refusal['why'], number> = {
    invalid: 0,
    certificate: 0,
    signature: 0,
    invalidated: 0,
    quarantined: 0,
    proxy_quota: 0,
    entity_limit: 0,
    memory: 0,
  };
  readonly #dependencies: Required<ResultDependencies>;

  constructor(dependencies: ResultDependencies) {
    this.#dependencies = { attributes: new AttributeBounds(), ...dependencies };
  }

  /**
   * Stores results from the API and resolves when they are committed.
   *
   * @param results validated results, applied in this order
   * @returns the errors of rejected results, by index in `results`: `forbidden` if the client was deleted with a ban,
   *   `too_large` or `invalid` if attributes exceed the limits, `no_memory` if the client or check is new and memory is
   *   full
   * @throws MonError `not_found` if the namespace was deleted, `unavailable`, or the error that `admission` throws
   */
  async submit(
    namespaceName: string,
    results: readonly SubmittedResult[],
    admission = ALWAYS_ADMITTED,
  ): Promise<ReadonlyMap<number, MonError>> {
    const now = Math.floor(this.#dependencies.clock.now() / 1000);
    const definitions = this.#dependencies.definitions.inNamespace(namespaceName);
    let refusals: Map<number, MonError> | undefined;
    const incoming: IncomingResult[] = [];
    const timeSlice = results.length > 1 ? new TimeSlice() : undefined;
    for (const [index, result] of results.entries()) {
      if (timeSlice?.isDue === true) await timeSlice.share();
      const refusal = this.#dependencies.attributes.refusalOf(result);
      if (refusal !== undefined) (refusals ??= new Map()).set(index, refusal);
      incoming.push(incomingFromApi(result, definitions, now));
    }
    const excessive = refusals ?? NO_REFUSALS;
    const refusalOf = this.#refusalOf.bind(this);
    const counts = this.rejected;
    return this.#dependencies.batcher.runSteps(
      function* (transaction) {
        admission();
        refuseUnknownNamespace(transaction.registry, namespaceName);
        const namespace = transaction.registry.namespace(namespaceName);
        let refused: Map<number, MonError> | undefined;
        counts.invalid += excessive.size;
        for (const [index, result] of incoming.entries()) {
          if (index > 0) yield;
          if (excessive.has(index)) continue;
          const refusal = refusalOf(transaction, namespace, result);
          if (refusal === undefined) processReported(transaction, namespace, result);
          else (refused ??= new Map(excessive)).set(index, refusal);
        }
        return refused ?? excessive;
      },
      {
        weight: incoming.length,
        isReported: true,
        needs: (registry, demand) => recordsNeeded(registry.namespace(namespaceName), incoming, demand(namespaceName)),
      },
    );
  }

  /**
   * Stores results that the backend itself creates, such as keepalives. Results of clients that do not exist are
   * skipped.
   *
   * @throws MonError `unavailable`
   */
  record(namespaceName: string, incoming: readonly IncomingResult[]): Promise<void> {
    return this.#dependencies.batcher.run(
      (transaction) => {
        const namespace = transaction.registry.namespace(namespaceName);
        for (const result of incoming) {
          if (namespace.clients.has(result.client)) processResult(transaction, namespace, result);
        }
      },
      {
        weight: incoming.length,
        needs: (registry, demand) => recordsNeeded(registry.namespace(namespaceName), incoming, demand(namespaceName)),
      },
    );
  }

  /**
   * Stores a result of the backend about itself, even if other results are rejected because disk or memory is full.
   *
   * @param client the client of the result; created if it does not exist
   * @throws MonError `unavailable`
   */
  submitBackendResult(namespaceName: string, client: string, submitted: SubmittedResult): Promise<void> {
    const now = Math.floor(this.#dependencies.clock.now() / 1000);
    const definitions = this.#dependencies.definitions.inNamespace(namespaceName);
    const incoming = incomingResult(submitted, { reporter: client, definitions, now, issued: now });
    return this.#dependencies.batcher.run(
      (transaction) => {
        processResult(transaction, transaction.registry.namespace(namespaceName), incoming);
      },
      {
        needs: (registry, demand) =>
          recordsNeeded(registry.namespace(namespaceName), [incoming], demand(namespaceName)),
      },
    );
  }

  /**
   * Queues the results of an agent to be stored. A result from a spool is applied once, even if it is delivered
   * repeatedly. Invalid results are rejected individually and are acknowledged to the agent.
   *
   * @param onRefused called after the commit, in order, for each rejected result that the agent is notified of
   * @param onSettled called after the commit and all calls of `onRefused`, or with the error if there was no commit
   * @throws MonError `unavailable` if the queue is full or results are rejected, for example during an upgrade; then
   *   nothing is queued
   */
  submitFromAgent(
    namespaceName: string,
    delivery: AgentResults,
    onRefused: (id: number, reason: string) => void,
    onSettled: (error: MonError | undefined, settlement: Settlement) => void,
  ): void {
    this.#dependencies.batcher.refuseReports();
    const now = Math.floor(this.#dependencies.clock.now() / 1000);
    const definitions = this.#dependencies.definitions.inNamespace(namespaceName);
    const origin = { reporter: delivery.client, definitions, now, issued: undefined };
    const valid: (DeliveredResult | DeltaResult)[] = [];
    const invalid: Refusal[] = [];
    for (const result of delivery.results) {
      if (isDelta(result)) {
        valid.push(result);
        continue;
      }
      const { id, signature, check } = result;
      try {
        const submitted = validateResult(check);
        const refusal = this.#dependencies.attributes.refusalOf(submitted);
        if (refusal !== undefined) throw refusal;
        valid.push({ id, signature: signature ?? '', ...incomingResult(submitted, origin) });
      } catch (error) {
        if (!(error instanceof MonError)) throw error;
        invalid.push({ id, why: 'invalid', reason: error.message });
      }
    }
    const { limits } = this.#dependencies;
    const merged = this.#dependencies.definitions.generation;
    const context = { rejected: this.rejected, limits, onRefused, definitions: merged };
    this.#dependencies.batcher.enqueue(
      new AgentDelivery(namespaceName, delivery, { valid, invalid }, onSettled, context),
    );
  }

  #refusalOf(transaction: Transaction, namespace: Namespace, { client, check }: IncomingResult): MonError | undefined {
    if (isBannedClient(namespace, client, transaction.nowMs)) {
      this.rejected.invalidated++;
      return bannedClientError(client);
    }
    const refusal = refusalOfNew(transaction, namespace, client, check.name);
    if (refusal !== undefined) this.rejected.memory++;
    return refusal;
  }

  /**
   * Returns the highest committed result id of an agent's spool; 0 if there is none. Waits for earlier commands of the
   * queue, because their write can still fail, and the agent deletes all results that it believes to be committed.
   *
   * @throws MonError `unavailable`
   */
  committedId(namespaceName: string, client: string, spool: string): Promise<number> {
    return this.#dependencies.batcher.run(({ registry }) => {
      const mark = registry.namespace(namespaceName).spools.get(client);
      return mark?.spool === spool ? mark.acked : 0;
    });
  }

  /**
   * Removes the last result and the history of a check. An open event of the check stays (completion 1.6).
   *
   * @throws MonError `not_found` if there is no result
   */
  remove(namespaceName: string, client: string, check: string, actor: Actor = BACKEND_ACTOR): Promise<void> {
    return this.#dependencies.batcher.run(
      (transaction) => {
        const entry = transaction.registry.namespace(namespaceName).check(client, check);
        if (entry?.status === undefined) throw new MonError('not_found', `there is no result of ${client}/${check}`);
        const before = { status: entry.status, executed: entry.executed };
        removeResult(transaction, entry, actor.who);
        const target = auditTarget(namespaceName, `${client}/${check}`);
        recordAudit(transaction, actor, { action: 'result.delete', target, before });
      },
      { needs: (registry) => toList(registry.namespace(namespaceName).check(client, check)) },
    );
  }
}

/**
 * Converts a result from the API: merges it with its check definition and adds all default values.
 *
 * @param definitions the definitions of its namespace
 * @param now current time in epoch seconds
 */
export function incomingFromApi(
  submitted: SubmittedResult,
  definitions: Pick<NamespaceDefinitions, 'check'>,
  now: number,
): IncomingResult {
  return incomingResult(submitted, { reporter: API_REPORTER, definitions, now, issued: now });
}

function incomingResult(
  submitted: SubmittedResult,
  origin: {
    readonly reporter: string;
    readonly definitions: Pick<NamespaceDefinitions, 'check'>;
    readonly now: number;
    readonly issued: number | undefined;
  },
): IncomingResult {
  const { reporter, definitions, now, issued } = origin;
  const definition = definitions.check(submitted.name);
  return {
    client: clientNameOfResult(submitted, reporter),
    reporter,
    check: checkResultOf(submitted, { reporter, definition, now, issued }),
  };
}

function isDelta(result: UncheckedResult | DeltaResult): result is DeltaResult {
  return !('check' in result);
}

function removeResult(transaction: Transaction, entry: CheckEntry, by: string): void {
  const { event } = entry.state;
  if (event === undefined) {
    removeCheck(transaction, entry, by);
    return;
  }
  const bodies = { check: null, ...frozenEvent(entry, transaction.body(CHECK_RECORDS, entry)) };
  removeSeries(transaction, entry);
  saveCheck(transaction, entry, { ...NO_CHECK_STATE, event }, bodies, undefined);
}

function toList<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
