import { MonError } from '../../../shared/errors.ts';
import { EMPTY_HISTORY } from '../../../shared/domain/history.ts';
import { ENTITY_LIMIT_REFUSAL } from '../../../shared/domain/entity-limit.ts';
import { checkResultOf, clientOf } from '../../../shared/domain/result.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Clock } from '../ports.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import type { Definitions, NamespaceDefinitions } from '../config/definitions.ts';
import { AttributeBounds } from './attribute-bounds.ts';
import { MON, recordAudit, targetIn } from '../audit/write.ts';
import { refuseUnknownNamespace, unknownNamespace } from '../namespaces/unknown.ts';
import { ALWAYS, type Admission } from '../access/admission.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Command } from '../commit/command.ts';
import type { EntityLimit } from '../clients/entity-limit.ts';
import {
  API_REPORTER,
  frozenEvent,
  processResult,
  recordsNeeded,
  type IncomingResult,
  refusalOfNew,
} from './process-result.ts';
import type { Transaction } from '../commit/transaction.ts';
import { banned, distrustOf, isBanned, type Distrust } from './trust.ts';
import { validateResult } from './validate-result.ts';
import type { Audience } from '../handlers/event-handling.ts';
import { removeCheck, saveCheck } from '../events/saved.ts';
import { AGENT_SPOOLS } from './table.ts';
import { CHECK_RECORDS } from '../events/table.ts';

/** Results of one agent, in the order of their ids. */
export interface AgentResults {
  readonly client: string;
  /** Undefined: nothing in it was ever delivered before, nor will be again. */
  readonly spool: string | undefined;
  readonly results: readonly UncheckedResult[];
  /** Whether a certificate says that it is this client: it speaks for no other agent then, only for proxy clients. */
  readonly isCertified?: boolean;
  readonly cancellation: Cancellation;
  readonly admission: Admission;
}

/** Whether to leave results out after all, asked when their turn comes. */
export interface Cancellation {
  readonly isCancelled: boolean;
}

/** A result as an agent frames it, its check not yet validated. */
export interface UncheckedResult {
  readonly id: number;
  readonly signature?: string | undefined;
  readonly check: unknown;
}

/** Read for each delivery, because a reload may change them. */
export interface ProxyLimits {
  /** Proxy clients that the results of one agent may make. */
  readonly proxyClientQuota: number;
  readonly entityLimit: Pick<EntityLimit, 'refuses'>;
}

/** The ways in for check results. */
export class Results {
  /** Results that were not taken so far, by the reason: those of agents, and single ones of an array. */
  readonly refused: Record<Distrust | 'invalid' | 'memory', number> = {
    invalid: 0,
    certificate: 0,
    signature: 0,
    banned: 0,
    quarantined: 0,
    quota: 0,
    limit: 0,
    memory: 0,
  };
  readonly #batcher: Batcher;
  readonly #definitions: Definitions;
  readonly #clock: Clock;
  readonly #limits: ProxyLimits;
  readonly #attributes: AttributeBounds;

  constructor(parts: {
    readonly batcher: Batcher;
    readonly definitions: Definitions;
    readonly clock: Clock;
    readonly limits: ProxyLimits;
    /** Default: those of the settings. */
    readonly attributes?: AttributeBounds;
  }) {
    this.#batcher = parts.batcher;
    this.#definitions = parts.definitions;
    this.#clock = parts.clock;
    this.#limits = parts.limits;
    this.#attributes = parts.attributes ?? new AttributeBounds();
  }

  /**
   * Stores results reported through the API and waits for their commit.
   *
   * @param results already validated, in order
   * @returns by their index those that were refused: `forbidden`, their client was deleted with a ban; `too_large` or
   * `invalid`, they bring along too much; `no_memory`, they are new and there is none for them
   * @throws MonError `not_found` when the namespace is gone, `unavailable`, or what `admission` throws
   */
  submit(
    namespaceName: string,
    results: readonly SubmittedResult[],
    admission = ALWAYS,
  ): Promise<ReadonlyMap<number, MonError>> {
    const now = Math.floor(this.#clock.now() / 1000);
    const definitions = this.#definitions.in(namespaceName);
    const excessive = this.#excessive(results);
    const incoming = results.map((result) => incomingFromApi(result, definitions, now));
    return this.#batcher.run(
      (transaction) => {
        admission();
        refuseUnknownNamespace(transaction.registry, namespaceName);
        const namespace = transaction.registry.namespace(namespaceName);
        const refused = new Map(excessive);
        this.refused.invalid += excessive.size;
        for (const [index, result] of incoming.entries()) {
          if (refused.has(index)) continue;
          const refusal = this.#refusalOf(transaction, namespace, result);
          if (refusal === undefined) processResult(transaction, namespace, result);
          else refused.set(index, refusal);
        }
        return refused;
      },
      {
        weight: incoming.length,
        isReported: true,
        needs: (registry, audience) =>
          recordsNeeded(registry.namespace(namespaceName), incoming, audience(namespaceName)),
      },
    );
  }

  /**
   * Stores results that the backend made of what it knows, such as keepalives, for the clients that are still there.
   *
   * @throws MonError `unavailable`
   */
  record(namespaceName: string, incoming: readonly IncomingResult[]): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const namespace = transaction.registry.namespace(namespaceName);
        for (const result of incoming) {
          if (namespace.clients.has(result.client)) processResult(transaction, namespace, result);
        }
      },
      {
        weight: incoming.length,
        needs: (registry, audience) =>
          recordsNeeded(registry.namespace(namespaceName), incoming, audience(namespaceName)),
      },
    );
  }

  /**
   * Stores a result of the backend about itself, also when there is no room for others.
   *
   * @param client whose result it is; made when it is not known
   * @throws MonError `unavailable`
   */
  tell(namespaceName: string, client: string, submitted: SubmittedResult): Promise<void> {
    const now = Math.floor(this.#clock.now() / 1000);
    const definitions = this.#definitions.in(namespaceName);
    const incoming = incomingResult(submitted, { reporter: client, definitions, now, issued: now });
    return this.#batcher.run(
      (transaction) => processResult(transaction, transaction.registry.namespace(namespaceName), incoming),
      {
        needs: (registry, audience) =>
          recordsNeeded(registry.namespace(namespaceName), [incoming], audience(namespaceName)),
      },
    );
  }

  /**
   * Stores what an agent delivers; each id of a spool has one effect, however often it comes. Results that break a rule
   * are refused one by one and count as delivered.
   *
   * @param onRefused told at once, when the others were taken; of results beyond the quota when their turn comes
   * @param onSettled told after the commit
   * @throws MonError `unavailable` when the queue is full or an upgrade keeps results out; nothing of it was taken
   */
  submitFromAgent(
    namespaceName: string,
    delivery: AgentResults,
    onRefused: (id: number, reason: string) => void,
    onSettled: (error: MonError | undefined) => void,
  ): void {
    this.#batcher.refuseReports();
    const now = Math.floor(this.#clock.now() / 1000);
    const definitions = this.#definitions.in(namespaceName);
    const about = { reporter: delivery.client, definitions, now, issued: undefined };
    const valid: DeliveredResult[] = [];
    const refused: { readonly id: number; readonly reason: string }[] = [];
    for (const { id, signature, check } of delivery.results) {
      try {
        const submitted = validateResult(check);
        const refusal = this.#attributes.refusalOf(submitted);
        if (refusal !== undefined) throw refusal;
        valid.push({ id, signature: signature ?? '', ...incomingResult(submitted, about) });
      } catch (error) {
        if (!(error instanceof MonError)) throw error;
        refused.push({ id, reason: error.message });
        this.refused.invalid++;
      }
    }
    const context = { refused: this.refused, limits: this.#limits, onRefused };
    this.#batcher.enqueue(new AgentDelivery(namespaceName, delivery, valid, onSettled, context));
    for (const { id, reason } of refused) onRefused(id, reason);
  }

  #refusalOf(transaction: Transaction, namespace: Namespace, { client, check }: IncomingResult): MonError | undefined {
    if (isBanned(namespace, client, transaction.nowMs)) {
      this.refused.banned++;
      return banned(client);
    }
    const refusal = refusalOfNew(transaction, namespace, client, check.name);
    if (refusal !== undefined) this.refused.memory++;
    return refusal;
  }

  #excessive(results: readonly SubmittedResult[]): ReadonlyMap<number, MonError> {
    const excessive = new Map<number, MonError>();
    for (const [index, result] of results.entries()) {
      const refusal = this.#attributes.refusalOf(result);
      if (refusal !== undefined) excessive.set(index, refusal);
    }
    return excessive;
  }

  /**
   * The highest id of an agent's spool that is committed, 0 when there is none. It waits for its turn in the queue: what
   * is still being written may fail, and the agent drops what it is told about.
   *
   * @throws MonError `unavailable`
   */
  committedId(namespaceName: string, client: string, spool: string): Promise<number> {
    return this.#batcher.run(({ registry }) => {
      const mark = registry.namespace(namespaceName).spools.get(client);
      return mark?.spool === spool ? mark.acked : 0;
    });
  }

  /**
   * Removes the last result and the history of a check. Its event stays (completion 1.6).
   *
   * @throws MonError `not_found`
   */
  remove(namespaceName: string, client: string, check: string, actor: Actor = MON): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const entry = transaction.registry.namespace(namespaceName).check(client, check);
        if (entry?.status === undefined) throw new MonError('not_found', `there is no result of ${client}/${check}`);
        const before = { status: entry.status, executed: entry.executed };
        removeResult(transaction, entry);
        const target = targetIn(namespaceName, `${client}/${check}`);
        recordAudit(transaction, actor, { action: 'result.delete', target, before });
      },
      { needs: (registry) => present(registry.namespace(namespaceName).check(client, check)) },
    );
  }
}

/**
 * A result that comes through the API, ready for the rules.
 *
 * @param definitions of its namespace
 * @param now epoch seconds
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
  about: {
    readonly reporter: string;
    readonly definitions: Pick<NamespaceDefinitions, 'check'>;
    readonly now: number;
    readonly issued: number | undefined;
  },
): IncomingResult {
  const { reporter, definitions, now, issued } = about;
  const definition = definitions.check(submitted.name);
  return {
    client: clientOf(submitted, reporter),
    reporter,
    check: checkResultOf(submitted, { reporter, definition, now, issued }),
  };
}

/** A valid result of an agent's frame. */
interface DeliveredResult extends IncomingResult {
  readonly id: number;
  readonly signature: string;
}

/** What a frame is held to, and who is told. */
interface DeliveryContext {
  readonly refused: Record<Distrust | 'memory', number>;
  readonly limits: ProxyLimits;
  readonly onRefused: (id: number, reason: string) => void;
}

/** A frame of results. A class of its own, because the backend makes one for every message of every agent. */
class AgentDelivery implements Command {
  readonly weight: number;
  readonly isReported = true;
  readonly settle: (error: MonError | undefined) => void;
  readonly #namespaceName: string;
  readonly #delivery: AgentResults;
  readonly #valid: readonly DeliveredResult[];
  readonly #context: DeliveryContext;

  constructor(
    namespaceName: string,
    delivery: AgentResults,
    valid: readonly DeliveredResult[],
    settle: (error: MonError | undefined) => void,
    context: DeliveryContext,
  ) {
    this.weight = delivery.results.length;
    this.settle = settle;
    this.#namespaceName = namespaceName;
    this.#delivery = delivery;
    this.#valid = valid;
    this.#context = context;
  }

  needs(registry: Registry, audience: (namespace: string) => Audience): ReturnType<typeof recordsNeeded> {
    return recordsNeeded(registry.namespace(this.#namespaceName), this.#valid, audience(this.#namespaceName));
  }

  apply(transaction: Transaction): void {
    const { client, spool, results, cancellation, admission } = this.#delivery;
    if (cancellation.isCancelled) return;
    admission();
    if (!transaction.registry.hasNamespace(this.#namespaceName)) {
      // Who keeps a spool comes back with it, and is told then; another connection has ended with its entity.
      if (spool === undefined) return;
      throw unknownNamespace(this.#namespaceName);
    }
    const namespace = transaction.registry.namespace(this.#namespaceName);
    const mark = namespace.spools.get(client);
    const acked = mark !== undefined && mark.spool === spool ? mark.acked : 0;
    for (const result of this.#valid) {
      // What was committed before is a repetition.
      if (result.id <= acked) continue;
      const distrust = this.#distrustOf(namespace, result, transaction.nowMs);
      const refusal =
        distrust === undefined ? refusalOfNew(transaction, namespace, result.client, result.check.name) : undefined;
      if (distrust !== undefined) this.#refuse(result, distrust);
      else if (refusal !== undefined) this.#refuseNew(result, refusal);
      else processResult(transaction, namespace, result);
    }
    const last = results.at(-1)?.id ?? 0;
    if (spool === undefined || last <= acked) return;
    namespace.spools.set(client, { spool, acked: last });
    transaction.putLatest(AGENT_SPOOLS, namespace, client);
  }

  #distrustOf(namespace: Namespace, result: DeliveredResult, nowMs: number): Distrust | undefined {
    const { client, reporter, signature } = result;
    const distrust = distrustOf(namespace, client, signature, nowMs);
    const known = namespace.clients.get(client);
    if (this.#delivery.isCertified === true && client !== reporter && isAgent(known)) return 'certificate';
    if (distrust !== undefined || known !== undefined) return distrust;
    const { proxyClientQuota, entityLimit } = this.#context.limits;
    if (client !== reporter && namespace.counted.proxiesOf(reporter) >= proxyClientQuota) return 'quota';
    return entityLimit.refuses(namespace.name, client) ? 'limit' : undefined;
  }

  #refuseNew({ id, client, check }: DeliveredResult, { message }: MonError): void {
    this.#context.refused.memory++;
    this.#context.onRefused(id, `${client}/${check.name} is new: ${message}`);
  }

  #refuse({ id, reporter, client }: DeliveredResult, distrust: Distrust): void {
    const { refused, limits, onRefused } = this.#context;
    refused[distrust]++;
    if (distrust === 'limit') onRefused(id, `${client} would be one entity too many: ${ENTITY_LIMIT_REFUSAL}`);
    if (distrust === 'certificate') {
      onRefused(id, `${client} is another agent, for which the certificate of ${reporter} is not good`);
    }
    if (distrust !== 'quota') return;
    onRefused(
      id,
      `${client} would be one proxy client more than the ${String(limits.proxyClientQuota)} that ${reporter} may make: raise proxy-client-quota, or delete some`,
    );
  }
}

/** Whether it keeps alive itself: others may speak for a proxy client. */
function isAgent(client: ClientEntry | undefined): boolean {
  return client?.profile.sendsKeepalives === true;
}

function removeResult(transaction: Transaction, entry: CheckEntry): void {
  const { event } = entry.state;
  if (event === undefined) {
    removeCheck(transaction, entry);
    return;
  }
  const bodies = { check: null, ...frozenEvent(entry, transaction.body(CHECK_RECORDS, entry)) };
  saveCheck(transaction, entry, { history: EMPTY_HISTORY, lastOk: null, event }, bodies, undefined);
}

function present<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
