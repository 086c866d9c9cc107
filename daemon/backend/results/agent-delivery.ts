import type { MonError } from '../../../shared/errors.ts';
import type { DeltaResult } from '../../../shared/schemas/agent.ts';
import { isInexact } from '../../../shared/domain/attribute-limits.ts';
import { ENTITY_LIMIT_REFUSAL } from '../../../shared/domain/entity-limit.ts';
import type { ClientEntry, Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { unknownNamespace } from '../namespaces/unknown-namespace.ts';
import type { Admission } from '../access/admission.ts';
import type { StateCommand } from '../commit/command.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import { processReported, recordsNeeded, type IncomingResult, refusalOfNew } from './process-result.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { BACKEND_CLIENT } from '../../../shared/domain/silence-reminder.ts';
import { distrustOf, isSignatureValid, type DistrustReason } from './trust.ts';
import type { RequiredEvents } from '../model/notify/routing.ts';
import { isUsableBaseline, offerBaseline, applyDelta } from './delta-result.ts';
import type { ConnectionBaselines } from './baselines.ts';
import { AGENT_SPOOLS } from '../model/results/storage.ts';

/** The results that one agent delivers at once, in ascending order of their ids. */
export interface AgentResults {
  readonly client: string;
  /**
   * Identifier of the agent's spool, the files that keep unacknowledged results; undefined if the agent has no spool,
   * and therefore delivers no result twice.
   */
  readonly spool: string | undefined;
  readonly results: readonly (UncheckedResult | DeltaResult)[];
  /**
   * The full results that delta results of the agent refer to (its baselines); undefined if all results of the agent
   * are full.
   */
  readonly baselines?: ConnectionBaselines | undefined;
  /**
   * True if the certificate of the agent names this client. Such an agent can report for itself and for proxy clients,
   * but not for other agents.
   */
  readonly isCertified?: boolean;
  readonly cancellation: Cancellation;
  readonly admission: Admission;
}

/** A flag that cancels a queued delivery: if the flag is true when the delivery would be applied, it is skipped. */
export interface Cancellation {
  readonly isCancelled: boolean;
}

/** The outcome of a delivery; read it after the commit of the delivery. */
export interface Settlement {
  /** All results up to this id are committed or permanently rejected; 0 if the delivery was canceled or ignored. */
  readonly acceptedId: number;
  /** Ids of those results of this delivery that later delta results can refer to (new baselines). */
  readonly newBaselines: readonly number[];
  /**
   * The agent must send all results with a higher id again, as full results; undefined if it need not send any again.
   */
  readonly resendAfter: number | undefined;
}

/** A full result from a message of an agent; its check is not validated yet. */
export interface UncheckedResult {
  readonly id: number;
  readonly signature?: string | undefined;
  readonly check: unknown;
}

/**
 * Limits on the creation of clients by results. They are read for each delivery, because a reload of the settings can
 * change them.
 */
export interface ProxyLimits {
  /** Maximum number of proxy clients that the results of one agent can create. */
  readonly proxyClientQuota: number;
  readonly entityLimit: Pick<EntityLimit, 'refuses'>;
}

/** A full result from a message of an agent, after validation. */
export interface DeliveredResult extends IncomingResult {
  readonly id: number;
  readonly signature: string;
}

/** A rejected result: the agent gets it acknowledged and does not send it again, but it is not stored. */
export interface Refusal {
  readonly id: number;
  readonly why: DistrustReason | 'invalid' | 'memory';
  /** The reason that is sent to the agent; undefined if the agent is not notified of the rejection. */
  readonly reason: string | undefined;
}

const NO_BASELINES: readonly number[] = [];
const NO_RECORDS: ReturnType<typeof recordsNeeded> = [];

/** The limits, counters and callbacks that a delivery uses. */
interface DeliveryContext {
  /** Generation number of the check and handler definitions that the results of the delivery were merged with. */
  readonly definitions: number;
  readonly rejected: Record<Refusal['why'], number>;
  readonly limits: ProxyLimits;
  readonly onRefused: (id: number, reason: string) => void;
}

/** The results of a delivery after validation. If some results are invalid, the valid ones are still applied. */
interface CheckedResults {
  readonly valid: readonly (DeliveredResult | DeltaResult)[];
  readonly invalid: readonly Refusal[];
}

/**
 * The command that applies one delivery of an agent. It is a class and not a closure to save memory, because the
 * backend creates one for every message of every agent.
 */
export class AgentDelivery implements StateCommand, Settlement {
  readonly weight: number;
  readonly isReported = true;
  readonly isBulk = true;
  acceptedId = 0;
  newBaselines: readonly number[] = NO_BASELINES;
  resendAfter: number | undefined = undefined;
  readonly #onSettled: (error: MonError | undefined, settlement: Settlement) => void;
  readonly #namespaceName: string;
  readonly #delivery: AgentResults;
  readonly #checked: CheckedResults;
  readonly #context: DeliveryContext;
  /** Position of this delivery in the order of its connection's deliveries; 0 if the agent sends no delta results. */
  readonly #sequence: number;
  /** Highest result id that was committed before this delivery; results up to this id are duplicates. */
  #ackedId = 0;
  /** The valid results that were rejected when the delivery was applied; undefined if there are none. */
  #refusals: Refusal[] | undefined;

  constructor(
    namespaceName: string,
    delivery: AgentResults,
    checked: CheckedResults,
    onSettled: (error: MonError | undefined, settlement: Settlement) => void,
    context: DeliveryContext,
  ) {
    this.weight = delivery.results.length;
    this.#onSettled = onSettled;
    this.#namespaceName = namespaceName;
    this.#delivery = delivery;
    this.#checked = checked;
    this.#context = context;
    this.#sequence = delivery.baselines?.nextSequence() ?? 0;
  }

  needs(registry: Registry, demand: (namespace: string) => RequiredEvents): ReturnType<typeof recordsNeeded> {
    const full = this.#checked.valid.filter(isFull);
    if (full.length === 0) return NO_RECORDS;
    return recordsNeeded(registry.namespace(this.#namespaceName), full, demand(this.#namespaceName));
  }

  settle(error: MonError | undefined): void {
    if (error === undefined) this.#reportRejected();
    this.#onSettled(error, this);
  }

  /**
   * Counts and reports the rejected results of this delivery. If the agent must send a rejected result again, it is not
   * reported until it is rejected again.
   */
  #reportRejected(): void {
    const { invalid } = this.#checked;
    if (invalid.length === 0 && this.#refusals === undefined) return;
    const { rejected, onRefused } = this.#context;
    const delivered = invalid.filter(({ id }) => id > this.#ackedId && id <= this.acceptedId);
    for (const { id, why, reason } of [...delivered, ...(this.#refusals ?? [])].toSorted((a, b) => a.id - b.id)) {
      rejected[why]++;
      if (reason !== undefined) onRefused(id, reason);
    }
  }

  apply(transaction: Transaction): void {
    const { client, spool, results, baselines, cancellation, admission } = this.#delivery;
    // Discards the outcome of an earlier attempt. A batch is applied again if another of its commands failed
    // unexpectedly, or definitions have changed.
    this.acceptedId = 0;
    this.newBaselines = NO_BASELINES;
    this.resendAfter = undefined;
    this.#refusals = undefined;
    if (cancellation.isCancelled || baselines?.begin(this.#sequence) === false) return;
    admission();
    if (!transaction.registry.hasNamespace(this.#namespaceName)) {
      // The namespace was deleted. An agent with a spool gets an error, and is rejected when it reconnects. Connections
      // of agents without a spool were closed when their entity was deleted.
      if (spool === undefined) return;
      throw unknownNamespace(this.#namespaceName);
    }
    const namespace = transaction.registry.namespace(this.#namespaceName);
    const mark = namespace.spools.get(client);
    const acked = mark !== undefined && mark.spool === spool ? mark.acked : 0;
    this.#ackedId = acked;
    for (const result of this.#checked.valid) {
      // Results with an id up to `acked` were committed before, so this one is a duplicate.
      if (result.id <= acked) continue;
      if (isFull(result)) this.#process(transaction, namespace, result);
      else if (!this.#applyDelta(transaction, namespace, result)) {
        baselines?.stopAt(this.#sequence);
        this.resendAfter = result.id - 1;
        break;
      }
    }
    this.acceptedId = this.resendAfter ?? results.at(-1)?.id ?? 0;
    if (spool === undefined || this.acceptedId <= acked) return;
    namespace.spools.set(client, { spool, acked: this.acceptedId });
    transaction.putLatest(AGENT_SPOOLS, namespace, client);
  }

  #process(transaction: Transaction, namespace: Namespace, result: DeliveredResult): void {
    const distrust = this.#distrustOf(namespace, result, transaction.nowMs);
    const refusal =
      distrust === undefined ? refusalOfNew(transaction, namespace, result.client, result.check.name) : undefined;
    if (distrust !== undefined) this.#refuse(result, distrust);
    else if (refusal !== undefined) this.#refuseNew(result, refusal);
    else {
      const entry = processReported(transaction, namespace, result);
      const { baselines } = this.#delivery;
      const { definitions } = this.#context;
      if (
        baselines !== undefined &&
        offerBaseline(transaction, namespace, baselines, { ...result, entry, definitions })
      ) {
        this.newBaselines = [...this.newBaselines, result.id];
      }
    }
  }

  /**
   * Applies a delta result to its baseline.
   *
   * @returns true if it was applied; false if it cannot be, so that the agent must send the full result; then nothing
   *   has changed
   */
  #applyDelta(transaction: Transaction, namespace: Namespace, result: DeltaResult): boolean {
    const baseline = this.#delivery.baselines?.get(result.baseline);
    // If the duration is inexact, requests the full result, which is then rejected with a reason.
    if (!isUsableBaseline(transaction, namespace, baseline, result) || isInexact(result.duration)) return false;
    const { client } = baseline.entry;
    // If the agent is not allowed to report for this client, requests the full result, which is then rejected and
    // counted.
    if (!isSignatureValid(client.signature, baseline.signature)) return false;
    if (this.#isUncertified(client, this.#delivery.client)) return false;
    applyDelta(transaction, baseline, result);
    return true;
  }

  #distrustOf(namespace: Namespace, result: DeliveredResult, nowMs: number): DistrustReason | undefined {
    const { client, reporter, signature } = result;
    const distrust = distrustOf(namespace, client, signature, nowMs);
    const entry = namespace.clients.get(client);
    if (this.#isForBackendClient(result)) return 'certificate';
    if (entry !== undefined && this.#isUncertified(entry, reporter)) return 'certificate';
    if (distrust !== undefined || entry !== undefined) return distrust;
    const { proxyClientQuota, entityLimit } = this.#context.limits;
    if (client !== reporter && namespace.counted.proxiesOf(reporter) >= proxyClientQuota) return 'proxy_quota';
    return entityLimit.refuses(namespace.name, client) ? 'entity_limit' : undefined;
  }

  #isUncertified(client: ClientEntry, reporter: string): boolean {
    return this.#delivery.isCertified === true && client.name !== reporter && isAgent(client);
  }

  /**
   * True if an agent with a certificate reports for the client that represents the backend itself, but is not that
   * client.
   */
  #isForBackendClient({ client, reporter }: DeliveredResult): boolean {
    return this.#delivery.isCertified === true && client === BACKEND_CLIENT && client !== reporter;
  }

  #refuseNew({ id, client, check }: DeliveredResult, { message }: MonError): void {
    this.#addRefusal({ id, why: 'memory', reason: `${client}/${check.name} is new: ${message}` });
  }

  #refuse(result: DeliveredResult, why: DistrustReason): void {
    this.#addRefusal({ id: result.id, why, reason: this.#reasonOf(result, why) });
  }

  #addRefusal(refusal: Refusal): void {
    this.#refusals ??= [];
    this.#refusals.push(refusal);
  }

  #reasonOf(result: DeliveredResult, why: DistrustReason): string | undefined {
    const { reporter, client } = result;
    switch (why) {
      case 'entity_limit':
        return `${client} would exceed the entity limit: ${ENTITY_LIMIT_REFUSAL}`;
      case 'certificate':
        if (this.#isForBackendClient(result)) return `${client} is the client of the backend: use another source`;
        return `${client} is another agent, for which the certificate of ${reporter} is not valid`;
      case 'proxy_quota': {
        const quota = String(this.#context.limits.proxyClientQuota);
        return `${client} would exceed the limit of ${quota} proxy clients of ${reporter}: raise proxy-client-quota, or delete some`;
      }
      case 'signature':
      case 'invalidated':
      case 'quarantined':
        return undefined;
    }
  }
}

function isFull(result: DeliveredResult | DeltaResult): result is DeliveredResult {
  return 'check' in result;
}

/**
 * True if the client sends keepalives itself. All other clients are proxy clients, and every agent can report for them.
 */
function isAgent(client: ClientEntry): boolean {
  return client.profile.sendsKeepalives;
}
