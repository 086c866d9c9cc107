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
import { BACKEND_CLIENT } from '../../../shared/domain/silence-reminder.ts';
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

/** A result that breaks a rule: it counts as delivered, and is not stored. */
export interface Refusal {
  readonly id: number;
  readonly why: Distrust | 'invalid' | 'memory';
  /** Undefined: its agent is not told. */
  readonly reason: string | undefined;
}

const NONE: readonly number[] = [];
const NOTHING: ReturnType<typeof recordsNeeded> = [];

/** What a frame is held to, and who is told. */
interface DeliveryContext {
  /** The generation of the definitions with which its results were merged. */
  readonly definitions: number;
  readonly refused: Record<Refusal['why'], number>;
  readonly limits: ProxyLimits;
  readonly onRefused: (id: number, reason: string) => void;
}

/** The results of a frame, looked at one by one. */
interface CheckedResults {
  readonly valid: readonly (DeliveredResult | ShortResult)[];
  readonly invalid: readonly Refusal[];
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
  readonly #checked: CheckedResults;
  readonly #context: DeliveryContext;
  /** Among those of its connection. */
  readonly #turn: number;
  /** Up to this id everything was committed before. */
  #ackedId = 0;
  /** Undefined: no valid one was refused. */
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
    this.#turn = delivery.bases?.newTurn() ?? 0;
  }

  needs(registry: Registry, audience: (namespace: string) => Audience): ReturnType<typeof recordsNeeded> {
    const whole = this.#checked.valid.filter(isWhole);
    if (whole.length === 0) return NOTHING;
    return recordsNeeded(registry.namespace(this.#namespaceName), whole, audience(this.#namespaceName));
  }

  settle(error: MonError | undefined): void {
    if (error === undefined) this.#tellRefused();
    this.#onSettled(error, this);
  }

  /** Of what is delivered now: what comes again is refused then. */
  #tellRefused(): void {
    const { invalid } = this.#checked;
    if (invalid.length === 0 && this.#refusals === undefined) return;
    const { refused, onRefused } = this.#context;
    const delivered = invalid.filter(({ id }) => id > this.#ackedId && id <= this.takenId);
    for (const { id, why, reason } of [...delivered, ...(this.#refusals ?? [])].toSorted((a, b) => a.id - b.id)) {
      refused[why]++;
      if (reason !== undefined) onRefused(id, reason);
    }
  }

  apply(transaction: Transaction): void {
    const { client, spool, results, bases, cancellation, admission } = this.#delivery;
    // A batch is applied again when another command of it is found to be broken.
    this.takenId = 0;
    this.offered = NONE;
    this.cutAfter = undefined;
    this.#refusals = undefined;
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
    this.#ackedId = acked;
    for (const result of this.#checked.valid) {
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
    if (this.#isOfBackend(result)) return 'certificate';
    if (known !== undefined && this.#isUncertified(known, reporter)) return 'certificate';
    if (distrust !== undefined || known !== undefined) return distrust;
    const { proxyClientQuota, entityLimit } = this.#context.limits;
    if (client !== reporter && namespace.counted.proxiesOf(reporter) >= proxyClientQuota) return 'quota';
    return entityLimit.refuses(namespace.name, client) ? 'limit' : undefined;
  }

  #isUncertified(client: ClientEntry, reporter: string): boolean {
    return this.#delivery.isCertified === true && client.name !== reporter && isAgent(client);
  }

  /** True if an agent with a certificate reports under the name that the backend uses for itself. */
  #isOfBackend({ client, reporter }: DeliveredResult): boolean {
    return this.#delivery.isCertified === true && client === BACKEND_CLIENT && client !== reporter;
  }

  #refuseNew({ id, client, check }: DeliveredResult, { message }: MonError): void {
    this.#refused({ id, why: 'memory', reason: `${client}/${check.name} is new: ${message}` });
  }

  #refuse(result: DeliveredResult, why: Distrust): void {
    this.#refused({ id: result.id, why, reason: this.#reasonOf(result, why) });
  }

  #refused(refusal: Refusal): void {
    this.#refusals ??= [];
    this.#refusals.push(refusal);
  }

  #reasonOf(result: DeliveredResult, why: Distrust): string | undefined {
    const { reporter, client } = result;
    switch (why) {
      case 'limit':
        return `${client} would be one entity too many: ${ENTITY_LIMIT_REFUSAL}`;
      case 'certificate':
        if (this.#isOfBackend(result)) return `${client} is the backend itself: name another source`;
        return `${client} is another agent, for which the certificate of ${reporter} is not good`;
      case 'quota': {
        const quota = String(this.#context.limits.proxyClientQuota);
        return `${client} would be one proxy client more than the ${quota} that ${reporter} may make: raise proxy-client-quota, or delete some`;
      }
      case 'signature':
      case 'banned':
      case 'quarantined':
        return undefined;
    }
  }
}

function isWhole(result: DeliveredResult | ShortResult): result is DeliveredResult {
  return 'check' in result;
}

/** Whether it keeps alive itself: others may speak for a proxy client. */
function isAgent(client: ClientEntry): boolean {
  return client.profile.sendsKeepalives;
}
