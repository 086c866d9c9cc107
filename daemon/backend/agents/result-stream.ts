import { MonError } from '../../../shared/errors.ts';
import { AGENT_WINDOW, type BackendMessage, type DeltaResult } from '../../../shared/schemas/agent.ts';
import type { Settlement, UncheckedResult } from '../results/agent-delivery.ts';
import { ConnectionBaselines } from '../results/baselines.ts';
import type { AdmittedParts } from './agent-link.ts';

/** Most results of one connection that wait for their commit; above it the socket is not read. */
const IN_FLIGHT_MAX = 4 * AGENT_WINDOW;

/** Most results that are delivered together, unless one frame has more. */
const GATHERED_MAX = 256;

type Results = readonly (UncheckedResult | DeltaResult)[];

type StreamParts = Pick<AdmittedParts, 'results' | 'baselineBudget' | 'rejected' | 'admission'>;

/** The agent that sends the results. */
interface StreamOwner {
  readonly namespace: string;
  readonly client: string;
  readonly spool: string;
  /** Whether a certificate names this client. */
  readonly isCertified: boolean;
  /** Whether delta results are allowed. */
  readonly allowsDeltas: boolean;
}

/** The operations of the connection. */
interface StreamLine {
  send(message: BackendMessage): void;
  pause(): void;
  resume(): void;
  /** Requests a call of `proceed` after the next commit. */
  waits(): void;
  /** Closes the connection because of an invalid message. */
  refuse(error: unknown): void;
  /** Closes the connection because results could not be stored. The agent reconnects and sends them again. */
  fail(error: MonError): void;
}

/** Queues the results of one connection until their commit, in order and bounded, and acknowledges them. */
export class ResultStream {
  readonly #owner: StreamOwner;
  readonly #parts: StreamParts;
  readonly #line: StreamLine;
  #inFlight = 0;
  #committedId = 0;
  #ackedId = 0;
  /** Results from one read of the socket: submitting them together costs little more than submitting one frame. */
  #gathered: (UncheckedResult | DeltaResult)[] = [];
  /** Frames that arrived while the queue was full or too many results were in flight, in order. */
  #waiting: Results[] = [];
  /** Set if results could not be stored. Later ones are then ignored, or they would overtake them. */
  readonly #cancellation = { isCancelled: false };
  /** Undefined: all results are full. Replaced with each `resend`. */
  #baselines: ConnectionBaselines | undefined;
  /** Ids of baselines that the next `ack` names. */
  #newBaselines: number[] = [];
  /** The id of the next `resend`; undefined: none is necessary. */
  #resendAfter: number | undefined;
  /** The id of the last `resend`. Frames without it in `resume_after` were sent before the agent received that. */
  #resumeAfter: number | undefined;

  constructor(owner: StreamOwner, parts: StreamParts, line: StreamLine) {
    this.#owner = owner;
    this.#parts = parts;
    this.#line = line;
    if (owner.allowsDeltas) this.#baselines = new ConnectionBaselines(parts.baselineBudget);
  }

  /** True after results could not be stored: all later ones are ignored. */
  get isCancelled(): boolean {
    return this.#cancellation.isCancelled;
  }

  /**
   * @param id the highest committed id of the spool
   * @returns this id
   */
  beginAfter(id: number): number {
    this.#ackedId = id;
    this.#committedId = Math.max(this.#committedId, id);
    return id;
  }

  /** @throws MonError `invalid` if the ids do not increase, or a delta result is not allowed */
  accept({
    results,
    resume_after: resumeAfter,
  }: {
    readonly results: Results;
    readonly resume_after?: number | undefined;
  }): void {
    if (this.#resumeAfter !== undefined) {
      if (resumeAfter !== this.#resumeAfter) return;
      this.#resumeAfter = undefined;
    }
    if (this.#baselines === undefined && results.some((result) => !('check' in result))) {
      throw new MonError('invalid', 'delta results are not allowed on this connection: send full results');
    }
    // Acknowledging the last one acknowledges all results that are delivered together.
    if (results.some(({ id }, at) => id <= (results[at - 1]?.id ?? 0))) {
      throw new MonError('invalid', 'the result IDs in a WebSocket frame must be in ascending order');
    }
    const last = this.#gathered.at(-1)?.id ?? 0;
    if (this.#gathered.length >= GATHERED_MAX || last >= (results[0]?.id ?? 0)) this.deliver();
    if (this.#gathered.length === 0) queueMicrotask(() => this.deliver());
    for (const result of results) this.#gathered.push(result);
  }

  /** Submits the gathered results now, because the next message must not overtake them. */
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
    this.#line.waits();
  }

  /** Acknowledges committed results, and submits frames that had to wait. Called after a commit. */
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
    if (this.#waiting.length > 0) this.#line.waits();
    else this.#line.resume();
  }

  /** Discards all baselines: the next delta is answered with `resend`. */
  discardBaselines(): void {
    this.#baselines?.clear();
  }

  /** Discards the baselines when the connection ends. Submitted results are still committed. */
  end(): void {
    this.#baselines?.end();
  }

  /** Returns the new baselines that no later result has replaced yet; undefined: there are none. */
  #takeNewBaselines(): readonly number[] | undefined {
    if (this.#newBaselines.length === 0) return undefined;
    const baselines = this.#newBaselines.filter((id) => this.#baselines?.get(id) !== undefined);
    this.#newBaselines = [];
    return baselines.length === 0 ? undefined : baselines;
  }

  /** Ignores everything in flight, and requests all results after this id again in full. */
  #requestResend(after: number): void {
    this.#baselines?.end();
    this.#baselines = new ConnectionBaselines(this.#parts.baselineBudget);
    this.#waiting = [];
    this.#gathered = [];
    this.#resendAfter = undefined;
    this.#resumeAfter = after;
    this.#line.send({ type: 'resend', after });
  }

  /** @returns false if the queue is full */
  #submit(results: Results): boolean {
    const { namespace, client, spool, isCertified } = this.#owner;
    const { admission } = this.#parts;
    try {
      this.#parts.results.submitFromAgent(
        namespace,
        {
          client,
          spool,
          results,
          baselines: this.#baselines,
          cancellation: this.#cancellation,
          isCertified,
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

  #reportRejected(results: Results, id: number, reason: string): void {
    const { namespace, client } = this.#owner;
    const refused = results.find((result) => result.id === id);
    const check = refused !== undefined && 'check' in refused ? refused.check : undefined;
    this.#parts.rejected.log({ namespace, client, id }, reason, check);
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
    this.#line.waits();
  }
}
