import type { MonError } from '../../../shared/errors.ts';
import type { ShortResult } from '../../../shared/schemas/agent.ts';
import { isInexact } from '../../../shared/domain/attribute-limits.ts';
import { ENTITY_LIMIT_REFUSAL } from '../../../shared/domain/entity-limit.ts';
import type { ClientEntry, Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import { unknownNamespace } from '../namespaces/unknown.ts';
import type { Admission } from '../access/admission.ts';
import type { Command } from '../commit/command.ts';
import type { EntityLimit } from '../clients/entity-limit.ts';
import { processResult, recordsNeeded, type IncomingResult, refusalOfNew } from './process-result.ts';
import type { Transaction } from '../commit/transaction.ts';
import { distrustOf, isSigned, type Distrust } from './trust.ts';
import type { Audience } from '../handlers/event-handling.ts';
import { isGoodBase, offerBase, renewResult } from './renew-result.ts';
import type { ResultBases } from './result-bases.ts';
import { AGENT_SPOOLS } from './table.ts';

/** Results of one agent, in the order of their ids. */
export interface AgentResults {
  readonly client: string;
  /** Undefined: nothing in it was ever delivered before, nor will be again. */
  readonly spool: string | undefined;
  readonly results: readonly (UncheckedResult | ShortResult)[];
  /** What its agent may tell results by; undefined: all of its results are whole. */
  readonly bases?: ResultBases | undefined;
  /** Whether a certificate says that it is this client: it speaks for no other agent then, only for proxy clients. */
  readonly isCertified?: boolean;
  readonly cancellation: Cancellation;
  readonly admission: Admission;
}

/** Whether to leave results out after all, asked when their turn comes. */
export interface Cancellation {
  readonly isCancelled: boolean;
}

/** What became of a delivery, once it is committed. */
export interface Settlement {
  /** Its results up to this id are taken, or refused for good; 0: it was left out. */
  readonly takenId: number;
  /** Ids of its results that are remembered from now on. */
  readonly offered: readonly number[];
  /** After this id everything has to come again, whole; undefined: nothing has to. */
  readonly cutAfter: number | undefined;
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

/** A valid result of an agent's frame. */
export interface DeliveredResult extends IncomingResult {
  readonly id: number;
  readonly signature: string;
}

const NONE: readonly number[] = [];
const NOTHING: ReturnType<typeof recordsNeeded> = [];

/** What a frame is held to, and who is told. */
interface DeliveryContext {
  /** The generation of the definitions with which its results were merged. */
  readonly definitions: number;
  readonly refused: Record<Distrust | 'memory', number>;
  readonly limits: ProxyLimits;
  readonly onRefused: (id: number, reason: string) => void;
}

/** A frame of results. A class of its own, because the backend makes one for every message of every agent. */
export class AgentDelivery implements Command, Settlement {
  readonly weight: number;
  readonly isReported = true;
  readonly isPatient = true;
  takenId = 0;
  offered: readonly number[] = NONE;
  cutAfter: number | undefined = undefined;
  readonly #onSettled: (error: MonError | undefined, settlement: Settlement) => void;
  readonly #namespaceName: string;
  readonly #delivery: AgentResults;
  readonly #valid: readonly (DeliveredResult | ShortResult)[];
  readonly #context: DeliveryContext;
  /** Among those of its connection. */
  readonly #turn: number;

  constructor(
    namespaceName: string,
    delivery: AgentResults,
    valid: readonly (DeliveredResult | ShortResult)[],
    onSettled: (error: MonError | undefined, settlement: Settlement) => void,
    context: DeliveryContext,
  ) {
    this.weight = delivery.results.length;
    this.#onSettled = onSettled;
    this.#namespaceName = namespaceName;
    this.#delivery = delivery;
    this.#valid = valid;
    this.#context = context;
    this.#turn = delivery.bases?.newTurn() ?? 0;
  }

  needs(registry: Registry, audience: (namespace: string) => Audience): ReturnType<typeof recordsNeeded> {
    const whole = this.#valid.filter(isWhole);
    if (whole.length === 0) return NOTHING;
    return recordsNeeded(registry.namespace(this.#namespaceName), whole, audience(this.#namespaceName));
  }

  settle(error: MonError | undefined): void {
    this.#onSettled(error, this);
  }

  apply(transaction: Transaction): void {
    const { client, spool, results, bases, cancellation, admission } = this.#delivery;
    // A batch is applied again when another command of it is found to be broken.
    this.takenId = 0;
    this.offered = NONE;
    this.cutAfter = undefined;
    if (cancellation.isCancelled || bases?.begin(this.#turn) === false) return;
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
      if (isWhole(result)) this.#process(transaction, namespace, result);
      else if (!this.#renew(transaction, namespace, result)) {
        bases?.cut(this.#turn);
        this.cutAfter = result.id - 1;
        break;
      }
    }
    this.takenId = this.cutAfter ?? results.at(-1)?.id ?? 0;
    if (spool === undefined || this.takenId <= acked) return;
    namespace.spools.set(client, { spool, acked: this.takenId });
    transaction.putLatest(AGENT_SPOOLS, namespace, client);
  }

  #process(transaction: Transaction, namespace: Namespace, result: DeliveredResult): void {
    const distrust = this.#distrustOf(namespace, result, transaction.nowMs);
    const refusal =
      distrust === undefined ? refusalOfNew(transaction, namespace, result.client, result.check.name) : undefined;
    if (distrust !== undefined) this.#refuse(result, distrust);
    else if (refusal !== undefined) this.#refuseNew(result, refusal);
    else {
      const entry = processResult(transaction, namespace, result);
      const { bases } = this.#delivery;
      const { definitions } = this.#context;
      if (bases !== undefined && offerBase(transaction, namespace, bases, { ...result, entry, definitions })) {
        this.offered = [...this.offered, result.id];
      }
    }
  }

  /** @returns false when it cannot be told what it comes to: nothing is taken of it then */
  #renew(transaction: Transaction, namespace: Namespace, result: ShortResult): boolean {
    const base = this.#delivery.bases?.get(result.of);
    // No whole result is taken with such a number; then it is refused by name.
    if (!isGoodBase(transaction, namespace, base, result) || isInexact(result.duration)) return false;
    const { client } = base.entry;
    // Who is to hear of it hears of the whole one.
    if (!isSigned(client.signature, base.signature) || this.#isUncertified(client, this.#delivery.client)) return false;
    renewResult(transaction, base, result);
    return true;
  }

  #distrustOf(namespace: Namespace, result: DeliveredResult, nowMs: number): Distrust | undefined {
    const { client, reporter, signature } = result;
    const distrust = distrustOf(namespace, client, signature, nowMs);
    const known = namespace.clients.get(client);
    if (known !== undefined && this.#isUncertified(known, reporter)) return 'certificate';
    if (distrust !== undefined || known !== undefined) return distrust;
    const { proxyClientQuota, entityLimit } = this.#context.limits;
    if (client !== reporter && namespace.counted.proxiesOf(reporter) >= proxyClientQuota) return 'quota';
    return entityLimit.refuses(namespace.name, client) ? 'limit' : undefined;
  }

  #isUncertified(client: ClientEntry, reporter: string): boolean {
    return this.#delivery.isCertified === true && client.name !== reporter && isAgent(client);
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

function isWhole(result: DeliveredResult | ShortResult): result is DeliveredResult {
  return 'check' in result;
}

/** Whether it keeps alive itself: others may speak for a proxy client. */
function isAgent(client: ClientEntry): boolean {
  return client.profile.sendsKeepalives;
}
