import { z } from 'zod';
import { errorMessage } from '../../../../shared/errors.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import {
  canRunOnOtherMember,
  PEER_BYTES_MAX,
  PEER_RUNS_PATH,
  runOutcomeSchema,
  type MemberIndependentHandler,
  type RunOrder,
} from '../../../../shared/schemas/peer-run.ts';
import type { MutatorDefinition } from '../../../../shared/schemas/mutator.ts';
import type { Log } from '../../../log/log.ts';
import { RateLimitedLog } from '../../../log/rate-limit.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import { jobLogFields } from '../../notify/delivery/log-fields.ts';
import type { Deliverer } from '../../notify/delivery/run-jobs.ts';
import { BACKEND_STOPPING, type DeliveryOutcome } from '../../notify/delivery/outcome.ts';
import type { Clock } from '../../ports.ts';
import { definitionDigest } from './definition-digest.ts';
import type { LiveMember } from './live-member.ts';
import type { LiveMembers } from './live-members.ts';

/** Timeout in seconds for a handler that sends over the network, if the definition of the handler has no timeout. */
const NETWORK_TIMEOUT_DEFAULT = 10;
/**
 * HTTP statuses with which a member rejects a run: its definition of the handler or mutator differs, or its settings
 * forbid the run.
 */
const DEFINITION_REFUSED: ReadonlySet<number> = new Set([403, 412]);
/** Time that a run on another member can take in addition to the timeouts of its handler and mutator. */
const MARGIN_MS = 10_000;

interface SpreadDependencies {
  readonly members: Pick<LiveMembers, 'membersWithCapacity'>;
  /** Runs handlers on this backend. */
  readonly own: Deliverer;
  /** Returns whether this backend runs handlers even if another member can run them; called for each run. */
  readonly runsHandlers: () => boolean;
  readonly definitions: Pick<Definitions, 'inNamespace'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Distributes handler runs among the members of the cluster. Each run goes to the member with the fewest runs in
 * progress.
 */
export class SpreadRuns implements Deliverer {
  /** Number of handler runs that were completed on another member, since the start. */
  remoteRunCount = 0;
  readonly #dependencies: SpreadDependencies;
  readonly #lostRunLog: RateLimitedLog;
  readonly #rejectedRunLog: RateLimitedLog;
  readonly #ownLoad = { running: 0, lastAssigned: 0 };
  #assignments = 0;

  constructor(dependencies: SpreadDependencies) {
    this.#dependencies = dependencies;
    this.#lostRunLog = new RateLimitedLog(dependencies.log, dependencies.clock);
    this.#rejectedRunLog = new RateLimitedLog(dependencies.log, dependencies.clock);
  }

  /**
   * Implements `Deliverer`. If a member is lost during a run, the outcome is unknown, and the run is repeated on
   * another member.
   */
  async deliver(
    job: HandlerJob,
    handler: RunningHandler | undefined,
    attempt: number,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    if (handler !== undefined && canRunOnOtherMember(handler)) {
      const outcome = await this.#runElsewhere(job, handler, attempt, signal);
      if (outcome !== undefined) return outcome;
    }
    return await this.#runHere(job, handler, attempt, signal);
  }

  /** Runs a handler on another member. @returns the outcome; undefined if this backend must run the handler itself */
  async #runElsewhere(
    job: HandlerJob,
    handler: MemberIndependentHandler,
    attempt: number,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome | undefined> {
    if (this.#dependencies.members.membersWithCapacity().length === 0) return undefined;
    let body: Buffer | undefined;
    const mutator = this.#mutatorOf(job, handler);
    const definition = definitionDigest(handler, mutator);
    const order: RunOrder = { job, definition, attempt };
    for (let member = this.#chooseMember(definition); member !== undefined; member = this.#chooseMember(definition)) {
      body ??= Buffer.from(JSON.stringify(order));
      if (body.length > PEER_BYTES_MAX) return undefined;
      const outcome = await this.#runOnMember(member, { order, body, limitMs: limitMsOf(handler, mutator) }, signal);
      if (signal.aborted) return BACKEND_STOPPING;
      if (outcome === undefined) continue;
      this.#recordOutcome(member, order, outcome);
      return { ...outcome, member: member.address.name };
    }
    return undefined;
  }

  #mutatorOf({ namespace }: HandlerJob, { mutator }: MemberIndependentHandler): MutatorDefinition | undefined {
    return mutator === undefined ? undefined : this.#dependencies.definitions.inNamespace(namespace).mutator(mutator);
  }

  /** Returns the member that gets the next run; undefined if this backend runs it. */
  #chooseMember(definition: string): LiveMember | undefined {
    const { members, runsHandlers } = this.#dependencies;
    const [first, ...others] = members.membersWithCapacity().filter((member) => member.mayRun(definition));
    if (first === undefined) return undefined;
    const least = others.reduce((one, other) => (isPreferred(other, one) ? other : one), first);
    return runsHandlers() && isPreferred(this.#ownLoad, least) ? undefined : least;
  }

  /**
   * Runs a handler on a member.
   *
   * @returns the outcome; undefined if the run was rejected, aborted by `signal`, or lost
   */
  async #runOnMember(
    member: LiveMember,
    { order, body, limitMs }: { readonly order: RunOrder; readonly body: Buffer; readonly limitMs: number | undefined },
    signal: AbortSignal,
  ): Promise<DeliveryOutcome | undefined> {
    member.running++;
    member.lastAssigned = ++this.#assignments;
    try {
      const { status, text } = await member.post(PEER_RUNS_PATH, body, limitMs, signal);
      if (DEFINITION_REFUSED.has(status)) {
        member.recordRejectedDefinition(order.definition);
        const fields = { ...fieldsOf(order, member), reason: rejectionReason(text) };
        this.#rejectedRunLog.warn(() => fields, 'another member rejected a handler run: running it elsewhere');
        return undefined;
      }
      if (status !== 200) throw new Error(`it answered ${String(status)}`);
      const outcome = runOutcomeSchema.parse(JSON.parse(text));
      member.recordCompletedRun();
      return outcome;
    } catch (error) {
      if (signal.aborted) return undefined;
      member.recordLostRun();
      const fields = { ...fieldsOf(order, member), reason: errorMessage(error) };
      this.#lostRunLog.warn(() => fields, 'handler run on another member was lost: running it again');
      return undefined;
    } finally {
      member.running--;
    }
  }

  async #runHere(...run: Parameters<Deliverer['deliver']>): Promise<DeliveryOutcome> {
    const here = this.#ownLoad;
    here.running++;
    here.lastAssigned = ++this.#assignments;
    try {
      return await this.#dependencies.own.deliver(...run);
    } finally {
      here.running--;
    }
  }

  #recordOutcome(member: LiveMember, order: RunOrder, outcome: DeliveryOutcome): void {
    const { log } = this.#dependencies;
    this.remoteRunCount++;
    const fields = fieldsOf(order, member);
    if (outcome.kind === 'delivered') log.info(fields, 'handler ran on another member');
    else log.error({ ...fields, reason: outcome.reason }, 'handler error');
  }
}

type MemberLoad = Pick<LiveMember, 'running' | 'lastAssigned'>;

/**
 * True if `one` is preferred for the next run: it has fewer runs in progress than `other`, or equally many and got its
 * last run earlier.
 */
function isPreferred(one: MemberLoad, other: MemberLoad): boolean {
  return one.running < other.running || (one.running === other.running && one.lastAssigned < other.lastAssigned);
}

/**
 * Returns the maximum duration of a run in milliseconds: the timeouts of its mutator and handler, and a margin. Returns
 * undefined if one of them has no timeout.
 */
function limitMsOf(handler: MemberIndependentHandler, mutator: MutatorDefinition | undefined): number | undefined {
  const mutating = mutator === undefined ? 0 : mutator.timeout;
  const sending = timeoutOf(handler);
  return mutating === undefined || sending === undefined ? undefined : (mutating + sending) * 1000 + MARGIN_MS;
}

/** Returns the reason of a rejection from the body of the response, for the log. */
function rejectionReason(text: string): string {
  try {
    return refusalSchema.parse(JSON.parse(text)).error;
  } catch {
    return 'it gave no reason';
  }
}

const refusalSchema = z.object({ error: z.string().max(4096) });

function timeoutOf(handler: MemberIndependentHandler): number | undefined {
  switch (handler.type) {
    case 'pipe':
      return handler.timeout;
    case 'udp':
      return NETWORK_TIMEOUT_DEFAULT;
    default:
      return handler.timeout ?? NETWORK_TIMEOUT_DEFAULT;
  }
}

function fieldsOf({ job, attempt }: RunOrder, { address }: LiveMember): object {
  return { ...jobLogFields(job), attempt, member: address.name };
}
