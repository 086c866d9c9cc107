import { backoffMs } from '../../../../shared/domain/backoff.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import { PEER_RUNS_PATH, takesRunsSchema } from '../../../../shared/schemas/peer-run.ts';
import type { Log } from '../../../log/log.ts';
import { askPeer } from '../forwarding/ask-peer.ts';
import type { PeerAddress } from '../forwarding/leadership.ts';
import { PeerLink, type LinkParts } from '../forwarding/peer-link.ts';
import type { Clock } from '../../ports.ts';

/** Interval of queries whether a member runs handlers; they also detect a stopped member. */
const ASK_MS = 1000;
/** Timeout of such a query. */
const QUERY_TIMEOUT_MS = 2000;
const ASK_AGAIN = { minMs: ASK_MS, maxMs: 30_000 };
/** Number of unanswered queries after which the runs of the member are given up. */
const UNANSWERED_MAX = 3;

/** Time for which a member gets no runs after some were lost there. */
const LEFT_OUT = { minMs: 1000, maxMs: 60_000 };

/** Time for which a definition that a member cannot run is not tried there again. */
const LACKING_MS = 30_000;
const LACKING_MAX = 1000;

/** Maximum number of concurrent runs on one backend for another one. */
export const RUNS_MAX = 500;

export interface MemberAddress extends PeerAddress {
  /** Name for operators, such as `mon-2:4567`. */
  readonly name: string;
}

export interface MemberParts extends Pick<LinkParts, 'signatures'> {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a random number from 0 to below 1, evenly distributed. */
  readonly random: () => number;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Another backend with the same store, as the leader knows it. */
export class LiveMember implements Disposable {
  /** Number of runs in progress on that member. */
  running = 0;
  /** The number of the run that it was given last. */
  lastAssigned = 0;
  readonly #parts: MemberParts;
  #address: MemberAddress;
  #link: PeerLink;
  /** The links to its earlier addresses, which may still be in use. */
  readonly #formerLinks: PeerLink[] = [];
  #takesRuns = false;
  #isAsking = false;
  #askAtMs = -Infinity;
  /** Number of unanswered queries in a row. */
  #unanswered = 0;
  /** Number of lost runs in a row. */
  #lost = 0;
  #leftOutUntilMs = -Infinity;
  /** Times until which no run of a definition is sent, by its digest. */
  readonly #lacking = new Map<string, number>();

  constructor(address: MemberAddress, parts: MemberParts) {
    this.#address = address;
    this.#parts = parts;
    this.#link = new PeerLink(address, parts);
  }

  get address(): MemberAddress {
    return this.#address;
  }

  /** Changes the address or the certificate of the member; runs in progress continue. */
  move(address: MemberAddress): void {
    this.#formerLinks.push(this.#link);
    this.#address = address;
    this.#link = new PeerLink(address, this.#parts);
    this.#askAtMs = -Infinity;
  }

  /** True if the member has answered recent queries. */
  get isAnswering(): boolean {
    return this.#unanswered < UNANSWERED_MAX;
  }

  get hasCapacity(): boolean {
    return this.#takesRuns && this.running < RUNS_MAX && this.#parts.clock.monotonic() >= this.#leftOutUntilMs;
  }

  /** @param definition the digest of the definitions that a run needs */
  mayRun(definition: string): boolean {
    return this.hasCapacity && (this.#lacking.get(definition) ?? -Infinity) <= this.#parts.clock.monotonic();
  }

  /**
   * Records that the member cannot run these definitions: its definitions by these names differ or are missing, or its
   * settings forbid them.
   */
  noteLacking(definition: string): void {
    if (this.#lacking.size >= LACKING_MAX) this.#lacking.clear();
    this.#lacking.set(definition, this.#parts.clock.monotonic() + LACKING_MS);
  }

  /** Records that a run has ended on the member. */
  noteEnded(): void {
    this.#lost = 0;
  }

  /** Records that a run was not accepted, or its outcome is unknown: other members get the next ones. */
  noteLost(): void {
    const { clock, random } = this.#parts;
    this.#leftOutUntilMs = clock.monotonic() + backoffMs(++this.#lost, random(), LEFT_OUT);
  }

  /** Queries whether the member runs handlers, if a query is due. Never rejects. */
  async ask(): Promise<void> {
    const { clock } = this.#parts;
    if (this.#isAsking || clock.monotonic() < this.#askAtMs) return;
    this.#isAsking = true;
    try {
      this.#takesRuns = await this.#queryAcceptsRuns();
      this.#unanswered = 0;
    } catch (error) {
      this.#noteUnanswered(errorMessage(error));
    } finally {
      this.#isAsking = false;
      this.#askAtMs = clock.monotonic() + this.#pauseMs();
    }
  }

  /**
   * Posts a request and waits for the whole response.
   *
   * @param limitMs undefined: no limit, as long as the member answers queries
   * @throws Error if it was not sent or not answered, or the response is too large
   */
  async post(path: string, body: Buffer, limitMs: number | undefined, signal?: AbortSignal): Promise<Answer> {
    return await this.#exchange({ method: 'POST', path, body }, limitMs, signal);
  }

  /** Gives up all requests in progress on the member. */
  cut(): void {
    for (const link of [...this.#formerLinks.splice(0), this.#link]) link[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.cut();
  }

  async #queryAcceptsRuns(): Promise<boolean> {
    const { status, text } = await this.#exchange({ method: 'GET', path: PEER_RUNS_PATH }, QUERY_TIMEOUT_MS);
    if (status !== 200) throw new Error(`it answered ${String(status)}`);
    return takesRunsSchema.parse(JSON.parse(text)).takes_runs;
  }

  #noteUnanswered(reason: string): void {
    const { id: member, url, name } = this.address;
    this.#takesRuns = false;
    this.#unanswered++;
    if (this.#unanswered === UNANSWERED_MAX) this.cut();
    if (this.#unanswered > 1) return;
    this.#parts.log.warn({ member, name, url, reason }, 'cannot send handler runs to another cluster member');
  }

  #pauseMs(): number {
    return this.#unanswered === 0 ? ASK_MS : backoffMs(this.#unanswered, this.#parts.random(), ASK_AGAIN);
  }

  async #exchange(
    request: { readonly method: string; readonly path: string; readonly body?: Buffer },
    limitMs: number | undefined,
    signal?: AbortSignal,
  ): Promise<Answer> {
    return await askPeer(this.#link, { ...request, limitMs, signal }, this.#parts.clock);
  }
}
