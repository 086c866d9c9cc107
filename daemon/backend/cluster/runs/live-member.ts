import { backoffMs } from '../../../../shared/domain/backoff.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import { PEER_RUNS_PATH, takesRunsSchema } from '../../../../shared/schemas/peer-run.ts';
import type { Log } from '../../../log/log.ts';
import { queryPeer } from '../forwarding/query-peer.ts';
import type { PeerAddress } from '../forwarding/leadership.ts';
import { PeerLink, type LinkDependencies } from '../forwarding/peer-link.ts';
import type { Clock } from '../../ports.ts';

/** Interval at which the leader asks a member whether it accepts handler runs; a stopped member does not respond. */
const PROBE_INTERVAL_MS = 1000;
/** Timeout of the request that asks a member whether it accepts handler runs. */
const QUERY_TIMEOUT_MS = 2000;
const PROBE_BACKOFF = { minMs: PROBE_INTERVAL_MS, maxMs: 30_000 };
/** Number of consecutive failed state requests after which all runs on a member are aborted. */
const UNANSWERED_MAX = 3;

/** Backoff after a run was lost on a member: for this time the member gets no handler runs. */
const LOST_RUN_BACKOFF = { minMs: 1000, maxMs: 60_000 };

/** Time for which a handler is not sent again to a member that rejected the definition of the handler. */
const REJECTED_DEFINITION_MS = 30_000;
const REJECTED_DEFINITIONS_MAX = 1000;

/** Maximum number of handler runs that the leader has in progress on one member. */
export const RUNS_MAX = 500;

export interface MemberAddress extends PeerAddress {
  /** Display name of the member, such as `mon-2:4567`. */
  readonly name: string;
}

export interface LiveMemberDependencies extends Pick<LinkDependencies, 'signatures'> {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a random number from 0 to below 1, evenly distributed. */
  readonly random: () => number;
}

interface MemberResponse {
  readonly status: number;
  readonly text: string;
}

/** Another member of the cluster, to which the leader sends handler runs. */
export class LiveMember implements Disposable {
  /** Number of handler runs that the leader has in progress on the member. */
  running = 0;
  /** Sequence number of the last run that was assigned to the member; 0 if it got no run yet. */
  lastAssigned = 0;
  readonly #dependencies: LiveMemberDependencies;
  #address: MemberAddress;
  #link: PeerLink;
  /** Links to earlier addresses of the member; requests can still be in progress on them. */
  readonly #formerLinks: PeerLink[] = [];
  #takesRuns = false;
  #isQuerying = false;
  #nextQueryMs = -Infinity;
  /** Number of consecutive failed state requests to the member. */
  #unanswered = 0;
  /** Number of consecutive handler runs that were lost on the member. */
  #consecutiveLostRuns = 0;
  #leftOutUntilMs = -Infinity;
  /** Digests of the definitions that the member cannot run, each with the monotonic time until which no run is sent. */
  readonly #lacking = new Map<string, number>();

  constructor(address: MemberAddress, dependencies: LiveMemberDependencies) {
    this.#address = address;
    this.#dependencies = dependencies;
    this.#link = new PeerLink(address, dependencies);
  }

  get address(): MemberAddress {
    return this.#address;
  }

  /**
   * Changes the URL or the certificate of the member. Runs in progress continue on the connections to the former
   * address.
   */
  changeAddress(address: MemberAddress): void {
    this.#formerLinks.push(this.#link);
    this.#address = address;
    this.#link = new PeerLink(address, this.#dependencies);
    this.#nextQueryMs = -Infinity;
  }

  /** True if at least one of the last three state requests to the member succeeded. */
  get isResponding(): boolean {
    return this.#unanswered < UNANSWERED_MAX;
  }

  get hasCapacity(): boolean {
    return this.#takesRuns && this.running < RUNS_MAX && this.#dependencies.clock.monotonic() >= this.#leftOutUntilMs;
  }

  /**
   * True if the member can accept a run of a handler now.
   *
   * @param definition the digest of the definitions of the handler and its mutator
   */
  mayRun(definition: string): boolean {
    return this.hasCapacity && (this.#lacking.get(definition) ?? -Infinity) <= this.#dependencies.clock.monotonic();
  }

  /**
   * Records that the member rejected a run. Its definition of the handler or mutator differs or is missing, or its
   * settings forbid the command.
   */
  recordRejectedDefinition(definition: string): void {
    if (this.#lacking.size >= REJECTED_DEFINITIONS_MAX) this.#lacking.clear();
    this.#lacking.set(definition, this.#dependencies.clock.monotonic() + REJECTED_DEFINITION_MS);
  }

  /** Records that a run was completed on the member, which resets the backoff. */
  recordCompletedRun(): void {
    this.#consecutiveLostRuns = 0;
  }

  /** Records that a run ended without a known outcome, so that the member gets no runs during the backoff. */
  recordLostRun(): void {
    const { clock, random } = this.#dependencies;
    this.#leftOutUntilMs = clock.monotonic() + backoffMs(++this.#consecutiveLostRuns, random(), LOST_RUN_BACKOFF);
  }

  /**
   * Asks the member whether it accepts handler runs, if the next such request is due. The promise is never rejected.
   */
  async queryIfDue(): Promise<void> {
    const { clock } = this.#dependencies;
    if (this.#isQuerying || clock.monotonic() < this.#nextQueryMs) return;
    this.#isQuerying = true;
    try {
      this.#takesRuns = await this.#queryAcceptsRuns();
      this.#unanswered = 0;
    } catch (error) {
      this.#recordMissingResponse(errorMessage(error));
    } finally {
      this.#isQuerying = false;
      this.#nextQueryMs = clock.monotonic() + this.#pauseMs();
    }
  }

  /**
   * Sends a POST request and waits for the whole response.
   *
   * @param limitMs time limit in milliseconds; if undefined, the request is aborted only after `queryIfDue` has failed
   * several times in a row
   * @throws Error if the request cannot be sent, there is no complete response in time, or the response is too large
   */
  async post(path: string, body: Buffer, limitMs: number | undefined, signal?: AbortSignal): Promise<MemberResponse> {
    return await this.#exchange({ method: 'POST', path, body }, limitMs, signal);
  }

  /** Aborts all requests to the member that are in progress. */
  abortRequests(): void {
    for (const link of [...this.#formerLinks.splice(0), this.#link]) link[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.abortRequests();
  }

  async #queryAcceptsRuns(): Promise<boolean> {
    const { status, text } = await this.#exchange({ method: 'GET', path: PEER_RUNS_PATH }, QUERY_TIMEOUT_MS);
    if (status !== 200) throw new Error(`it answered ${String(status)}`);
    return takesRunsSchema.parse(JSON.parse(text)).takes_runs;
  }

  #recordMissingResponse(reason: string): void {
    const { id: member, url, name } = this.address;
    this.#takesRuns = false;
    this.#unanswered++;
    if (this.#unanswered === UNANSWERED_MAX) this.abortRequests();
    if (this.#unanswered > 1) return;
    this.#dependencies.log.warn({ member, name, url, reason }, 'cannot send handler runs to another cluster member');
  }

  #pauseMs(): number {
    return this.#unanswered === 0
      ? PROBE_INTERVAL_MS
      : backoffMs(this.#unanswered, this.#dependencies.random(), PROBE_BACKOFF);
  }

  async #exchange(
    request: { readonly method: string; readonly path: string; readonly body?: Buffer },
    limitMs: number | undefined,
    signal?: AbortSignal,
  ): Promise<MemberResponse> {
    return await queryPeer(this.#link, { ...request, limitMs, signal }, this.#dependencies.clock);
  }
}
