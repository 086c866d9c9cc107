import { MonError } from '../../../shared/errors.ts';
import { AGENT_WINDOW, type BackendMessage, type ShortResult } from '../../../shared/schemas/agent.ts';
import type { Settlement, UncheckedResult } from '../results/agent-delivery.ts';
import { ResultBases } from '../results/result-bases.ts';
import type { AdmittedParts } from './agent-link.ts';

/** Results of one connection that may wait for their commit; beyond it its socket is not read. */
const IN_FLIGHT_MAX = 4 * AGENT_WINDOW;

/** Results that are delivered together, unless one frame brings more. */
const GATHERED_MAX = 256;

type Results = readonly (UncheckedResult | ShortResult)[];

type StreamParts = Pick<AdmittedParts, 'results' | 'baseRoom' | 'refused' | 'admission'>;

/** Whose results they are. */
interface StreamOwner {
  readonly namespace: string;
  readonly client: string;
  readonly spool: string;
  /** Whether a certificate says that it is this client. */
  readonly isCertified: boolean;
  /** Whether it may tell results by what differs. */
  readonly shortens: boolean;
}

/** What the connection does for it. */
interface StreamLine {
  send(message: BackendMessage): void;
  pause(): void;
  resume(): void;
  /** `proceed` is to be called after the next commit. */
  waits(): void;
  /** The agent has said what makes no sense. */
  refuse(error: unknown): void;
  /** Results could not be stored: the agent is to come back and deliver again from the last one that was. */
  fail(error: MonError): void;
}

/** The results of one connection on their way to the commit: in order, bounded, each acknowledged when it is stored. */
export class ResultStream {
  readonly #owner: StreamOwner;
  readonly #parts: StreamParts;
  readonly #line: StreamLine;
  #inFlight = 0;
  #committedId = 0;
  #ackedId = 0;
  /** Of the frames that came with one reading of the socket: together they cost little more than one of them. */
  #gathered: (UncheckedResult | ShortResult)[] = [];
  /** Frames that arrived while the queue was full or too much was in flight, in order. */
  #held: Results[] = [];
  /** Set when results could not be stored: then none of the later ones counts, or they would overtake those. */
  readonly #cancellation = { isCancelled: false };
  /** What the agent may tell results by; undefined: it tells all of them whole. Another one after each `resend`. */
  #bases: ResultBases | undefined;
  /** Of these it has not heard yet. */
  #offered: number[] = [];
  /** After this id it is to begin again, as soon as it may be told. */
  #cutAfter: number | undefined;
  /** It was told to begin again after this id; what comes before it does so was sent before it heard. */
  #awaited: number | undefined;

  constructor(owner: StreamOwner, parts: StreamParts, line: StreamLine) {
    this.#owner = owner;
    this.#parts = parts;
    this.#line = line;
    if (owner.shortens) this.#bases = new ResultBases(parts.baseRoom);
  }

  /** Whether nothing that comes counts any more. */
  get isOver(): boolean {
    return this.#cancellation.isCancelled;
  }

  /**
   * @param id the highest of its spool that was committed before
   * @returns where the spool goes on
   */
  beginAfter(id: number): number {
    this.#ackedId = id;
    this.#committedId = Math.max(this.#committedId, id);
    return id;
  }

  /** @throws MonError `invalid` when the ids do not grow, or there is a short result and nothing that it could be told by */
  take({ results, resumes }: { readonly results: Results; readonly resumes?: number | undefined }): void {
    if (this.#awaited !== undefined) {
      if (resumes !== this.#awaited) return;
      this.#awaited = undefined;
    }
    if (this.#bases === undefined && results.some((result) => !('check' in result))) {
      throw new MonError('invalid', 'results must be whole: there are no bases on this connection');
    }
    // By the last one all that is delivered together is acknowledged.
    if (results.some(({ id }, at) => id <= (results[at - 1]?.id ?? 0))) {
      throw new MonError('invalid', 'the ids of the results in a frame must grow');
    }
    const last = this.#gathered.at(-1)?.id ?? 0;
    if (this.#gathered.length >= GATHERED_MAX || last >= (results[0]?.id ?? 0)) this.deliver();
    if (this.#gathered.length === 0) queueMicrotask(() => this.deliver());
    for (const result of results) this.#gathered.push(result);
  }

  /** Hands on what was gathered, for the sake of what comes behind it. */
  deliver(): void {
    const results = this.#gathered;
    if (results.length === 0 || this.isOver) return;
    this.#gathered = [];
    try {
      if (this.#held.length === 0 && this.#inFlight < IN_FLIGHT_MAX && this.#submit(results)) return;
    } catch (error) {
      this.#line.refuse(error);
      return;
    }
    this.#held.push(results);
    this.#line.pause();
    this.#line.waits();
  }

  /** After a commit: acknowledges what is in it and takes up the frames that had to wait. */
  proceed(): void {
    if (this.#committedId > this.#ackedId) {
      this.#ackedId = this.#committedId;
      this.#line.send({ type: 'ack', id: this.#ackedId, bases: this.#takeOffered() });
    }
    if (this.#cutAfter !== undefined) this.#beginAgain(this.#cutAfter);
    while (this.#held.length > 0 && this.#inFlight < IN_FLIGHT_MAX) {
      const [results = []] = this.#held;
      if (!this.#submit(results)) break;
      this.#held.shift();
    }
    if (this.#held.length > 0) this.#line.waits();
    else this.#line.resume();
  }

  /** An agent that goes on from what it was told is asked for it whole. */
  forgetBases(): void {
    this.#bases?.clear();
  }

  /** The connection has ended. What is under way goes on. */
  end(): void {
    this.#bases?.end();
  }

  /** Those of which no later result has taken the place by now; undefined: there are none. */
  #takeOffered(): readonly number[] | undefined {
    if (this.#offered.length === 0) return undefined;
    const bases = this.#offered.filter((id) => this.#bases?.get(id) !== undefined);
    this.#offered = [];
    return bases.length === 0 ? undefined : bases;
  }

  /** What is under way comes to nothing, and the agent is told from where on it is to send everything whole. */
  #beginAgain(after: number): void {
    this.#bases?.end();
    this.#bases = new ResultBases(this.#parts.baseRoom);
    this.#held = [];
    this.#gathered = [];
    this.#cutAfter = undefined;
    this.#awaited = after;
    this.#line.send({ type: 'resend', after });
  }

  /** @returns false when the queue is full */
  #submit(results: Results): boolean {
    const { namespace, client, spool, isCertified } = this.#owner;
    const { admission } = this.#parts;
    try {
      this.#parts.results.submitFromAgent(
        namespace,
        { client, spool, results, bases: this.#bases, cancellation: this.#cancellation, isCertified, admission },
        (id, reason) => this.#tellRefused(results, id, reason),
        (error, settlement) => this.#settle(results.length, error, settlement),
      );
    } catch (error) {
      if (error instanceof MonError && error.code === 'unavailable') return false;
      throw error;
    }
    this.#inFlight += results.length;
    return true;
  }

  #tellRefused(results: Results, id: number, reason: string): void {
    const { namespace, client } = this.#owner;
    const refused = results.find((result) => result.id === id);
    const check = refused !== undefined && 'check' in refused ? refused.check : undefined;
    this.#parts.refused.tell({ namespace, client, id }, reason, check);
    this.#line.send({ type: 'rejected', id, error: reason });
  }

  #settle(count: number, error: MonError | undefined, { takenId, offered, cutAfter }: Settlement): void {
    this.#inFlight -= count;
    if (error !== undefined) {
      this.#cancellation.isCancelled = true;
      this.#held = [];
      this.#line.fail(error);
    }
    if (this.isOver) return;
    this.#committedId = Math.max(this.#committedId, takenId);
    for (const id of offered) this.#offered.push(id);
    this.#cutAfter ??= cutAfter;
    this.#line.waits();
  }
}
