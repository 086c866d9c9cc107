import { MonError } from '../../../shared/errors.ts';
import { AGENT_WINDOW, type BackendMessage, type DeltaResult } from '../../../shared/schemas/agent.ts';
import type { Settlement, UncheckedResult } from '../results/agent-delivery.ts';
import { ConnectionBaselines } from '../results/baselines.ts';
import type { AdmittedConnectionDependencies } from './agent-link.ts';

/** Maximum number of results of one connection that wait for their commit. At the limit the socket is not read. */
const IN_FLIGHT_MAX = 4 * AGENT_WINDOW;

/** Number of gathered results at which the stream submits them, before it adds the results of another frame. */
const GATHERED_MAX = 256;

type ResultFrame = readonly (UncheckedResult | DeltaResult)[];

type StreamDependencies = Pick<AdmittedConnectionDependencies, 'results' | 'baselineBudget' | 'rejected' | 'admission'>;

/** The agent that sends its results over this connection. */
interface StreamOwner {
  readonly namespace: string;
  readonly client: string;
  readonly spool: string;
  /** True if the agent presented a client certificate that contains its name. */
  readonly hasNameCertificate: boolean;
  /** True if the agent is allowed to send delta results. */
  readonly allowsDeltas: boolean;
}

/** Functions of the agent connection by which a `ResultStream` sends messages, and pauses or closes the connection. */
interface ConnectionCallbacks {
  send(message: BackendMessage): void;
  pause(): void;
  resume(): void;
  /** Requests that `proceed` is called after the next commit. */
  requestProceed(): void;
  /** Closes the connection because of an invalid message. */
  refuse(error: unknown): void;
  /** Closes the connection because results could not be stored. The agent reconnects and sends them again. */
  fail(error: MonError): void;
}

/** Submits the results of one connection in order, limits how many wait for their commit, and acknowledges them. */
export class ResultStream {
  readonly #owner: StreamOwner;
  readonly #dependencies: StreamDependencies;
  readonly #line: ConnectionCallbacks;
  #inFlight = 0;
  #committedId = 0;
  #ackedId = 0;
  /** Results of frames that arrived together. Submitting them together costs little more than submitting one frame. */
  #gathered: (UncheckedResult | DeltaResult)[] = [];
  /** Results that wait to be submitted, in order, because the queue is full or too many results are in flight. */
  #waiting: ResultFrame[] = [];
  /** Flag that is set if results could not be stored. Later results are then ignored, to keep the order. */
  readonly #cancellation = { isCancelled: false };
  /**
   * Full results to which delta results refer. Each `resend` replaces them. Undefined if delta results are not allowed.
   */
  #baselines: ConnectionBaselines | undefined;
  /** Ids of results that were stored as new baselines, and that the next `ack` names. */
  #newBaselines: number[] = [];
  /** Id of the result after which the agent must resend all results; undefined if no `resend` is necessary. */
  #resendAfter: number | undefined;
  /**
   * Id in the last `resend`, until a frame with this id in `resume_after` arrives; otherwise undefined. Frames without
   * the id are ignored, because the agent sent them before it received the `resend`.
   */
  #resumeAfter: number | undefined;

  constructor(owner: StreamOwner, dependencies: StreamDependencies, line: ConnectionCallbacks) {
    this.#owner = owner;
    this.#dependencies = dependencies;
    this.#line = line;
    if (owner.allowsDeltas) this.#baselines = new ConnectionBaselines(dependencies.baselineBudget);
  }

  /** True after results could not be stored. Then all later results on this connection are ignored. */
  get isCancelled(): boolean {
    return this.#cancellation.isCancelled;
  }

  /**
   * Sets the id of the last acknowledged result, when the connection begins.
   *
   * @param id highest committed result id of the agent's spool
   * @returns `id`
   */
  setAckedId(id: number): number {
    this.#ackedId = id;
    this.#committedId = Math.max(this.#committedId, id);
    return id;
  }

  /**
   * Adds the results of a frame. They are submitted in a microtask, together with the results of frames that arrived at
   * the same time.
   *
   * @throws MonError `invalid` if the ids do not increase, or the frame has a delta result that is not allowed
   */
  accept({
    results,
    resume_after: resumeAfter,
  }: {
    readonly results: ResultFrame;
    readonly resume_after?: number | undefined;
  }): void {
    if (this.#resumeAfter !== undefined) {
      if (resumeAfter !== this.#resumeAfter) return;
      this.#resumeAfter = undefined;
    }
    if (this.#baselines === undefined && results.some((result) => !('check' in result))) {
      throw new MonError('invalid', 'delta results are not allowed on this connection: send full results');
    }
    // Ids must increase, because an acknowledgement of an id also acknowledges all results with lower ids.
    if (results.some(({ id }, at) => id <= (results[at - 1]?.id ?? 0))) {
      throw new MonError('invalid', 'the result IDs in a WebSocket frame must be in ascending order');
    }
    const last = this.#gathered.at(-1)?.id ?? 0;
    if (this.#gathered.length >= GATHERED_MAX || last >= (results[0]?.id ?? 0)) this.deliver();
    if (this.#gathered.length === 0) queueMicrotask(() => this.deliver());
    for (const result of results) this.#gathered.push(result);
  }

  /** Submits the gathered results now, for example because the next message must not overtake them. */
  deliver(): void {
    const results = this.#gathered;
    if (results.length === 0 || this.isCancelled) return;
    this.#gathered = [];
    try {
      if (this.#waiting.length === 0 && this.#inFlight < IN_FLIGHT_MAX && this.#submit(results)) return;
    } catch (error) {
      this.#line.refuse(error);
      return;
    }
    this.#waiting.push(results);
    this.#line.pause();
    this.#line.requestProceed();
  }

  /** Acknowledges committed results, and submits results that had to wait. Called after a commit. */
  proceed(): void {
    if (this.#committedId > this.#ackedId) {
      this.#ackedId = this.#committedId;
      this.#line.send({ type: 'ack', id: this.#ackedId, baselines: this.#takeNewBaselines() });
    }
    if (this.#resendAfter !== undefined) this.#requestResend(this.#resendAfter);
    while (this.#waiting.length > 0 && this.#inFlight < IN_FLIGHT_MAX) {
      const [results = []] = this.#waiting;
      if (!this.#submit(results)) break;
      this.#waiting.shift();
    }
    if (this.#waiting.length > 0) this.#line.requestProceed();
    else this.#line.resume();
  }

  /** Discards all baselines. The response to the next delta result is `resend`. */
  discardBaselines(): void {
    this.#baselines?.clear();
  }

  /** Discards the baselines when the connection has closed. Results that were submitted are still committed. */
  end(): void {
    this.#baselines?.end();
  }

  /** Returns the ids of new baselines that are still in use, or undefined if there are none. */
  #takeNewBaselines(): readonly number[] | undefined {
    if (this.#newBaselines.length === 0) return undefined;
    const baselines = this.#newBaselines.filter((id) => this.#baselines?.get(id) !== undefined);
    this.#newBaselines = [];
    return baselines.length === 0 ? undefined : baselines;
  }

  /** Drops the results that wait to be submitted, and requests all results after the id `after` again, in full. */
  #requestResend(after: number): void {
    this.#baselines?.end();
    this.#baselines = new ConnectionBaselines(this.#dependencies.baselineBudget);
    this.#waiting = [];
    this.#gathered = [];
    this.#resendAfter = undefined;
    this.#resumeAfter = after;
    this.#line.send({ type: 'resend', after });
  }

  /** Submits results for the next commit. @returns false if the queue is full, so that none was submitted */
  #submit(results: ResultFrame): boolean {
    const { namespace, client, spool, hasNameCertificate } = this.#owner;
    const { admission } = this.#dependencies;
    try {
      this.#dependencies.results.submitFromAgent(
        namespace,
        {
          client,
          spool,
          results,
          baselines: this.#baselines,
          cancellation: this.#cancellation,
          isCertified: hasNameCertificate,
          admission,
        },
        (id, reason) => this.#reportRejected(results, id, reason),
        (error, settlement) => this.#settle(results.length, error, settlement),
      );
    } catch (error) {
      if (error instanceof MonError && error.code === 'unavailable') return false;
      throw error;
    }
    this.#inFlight += results.length;
    return true;
  }

  #reportRejected(results: ResultFrame, id: number, reason: string): void {
    const { namespace, client } = this.#owner;
    const refused = results.find((result) => result.id === id);
    const check = refused !== undefined && 'check' in refused ? refused.check : undefined;
    this.#dependencies.rejected.log({ namespace, client, id }, reason, check);
    this.#line.send({ type: 'rejected', id, error: reason });
  }

  #settle(count: number, error: MonError | undefined, { acceptedId, newBaselines, resendAfter }: Settlement): void {
    this.#inFlight -= count;
    if (error !== undefined) {
      this.#cancellation.isCancelled = true;
      this.#waiting = [];
      this.#line.fail(error);
    }
    if (this.isCancelled) return;
    this.#committedId = Math.max(this.#committedId, acceptedId);
    for (const id of newBaselines) this.#newBaselines.push(id);
    this.#resendAfter ??= resendAfter;
    this.#line.requestProceed();
  }
}
