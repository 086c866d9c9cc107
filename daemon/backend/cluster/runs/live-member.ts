import { backoffMs } from '../../../../shared/domain/backoff.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import { PEER_RUNS_PATH, takesRunsSchema } from '../../../../shared/schemas/peer-run.ts';
import type { Log } from '../../../log/log.ts';
import { askPeer } from '../forwarding/ask-peer.ts';
import type { PeerPlace } from '../forwarding/leadership.ts';
import { PeerLink, type LinkParts } from '../forwarding/peer-link.ts';
import type { Clock } from '../../ports.ts';

/** How often it is asked whether it runs handlers: one that stands still is noticed by that. */
const ASK_MS = 1000;
/** How long it may take to say so. */
const ASKED_MS = 2000;
const ASK_AGAIN = { minMs: ASK_MS, maxMs: 30_000 };
/** After so many questions without an answer, what runs there is given up. */
const UNANSWERED_MAX = 3;

/** How long one is left out where runs were lost. */
const LEFT_OUT = { minMs: 1000, maxMs: 60_000 };

/** How long a definition is not asked for again that a backend does not run. */
const LACKING_MS = 30_000;
const LACKING_MAX = 1000;

/** Runs under way on one backend for another one. */
export const RUNS_MAX = 500;

export interface MemberPlace extends PeerPlace {
  /** For people: `mon-2:4567`. */
  readonly name: string;
}

export interface MemberParts extends Pick<LinkParts, 'signatures'> {
  readonly clock: Clock;
  readonly log: Log;
  /** 0 to below 1, evenly spread. */
  readonly chance: () => number;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Another backend with the same store, as the one that writes knows it. */
export class LiveMember implements Disposable {
  /** Runs under way there. */
  running = 0;
  /** The number of the run that it was given last. */
  lastGiven = 0;
  readonly #parts: MemberParts;
  #place: MemberPlace;
  #link: PeerLink;
  /** The ways to where it was before, on which something may be under way. */
  readonly #formerLinks: PeerLink[] = [];
  #takesRuns = false;
  #isAsking = false;
  #askAtMs = -Infinity;
  /** Questions in a row without an answer. */
  #unanswered = 0;
  /** Runs in a row that it did not end. */
  #lost = 0;
  #leftOutUntilMs = -Infinity;
  /** Times until which no run of a definition is sent, by its digest. */
  readonly #lacking = new Map<string, number>();

  constructor(place: MemberPlace, parts: MemberParts) {
    this.#place = place;
    this.#parts = parts;
    this.#link = new PeerLink(place, parts);
  }

  get place(): MemberPlace {
    return this.#place;
  }

  /** It is reached elsewhere from now on, or has another certificate; what is under way goes on. */
  move(place: MemberPlace): void {
    this.#formerLinks.push(this.#link);
    this.#place = place;
    this.#link = new PeerLink(place, this.#parts);
    this.#askAtMs = -Infinity;
  }

  /** Whether it has not been silent for long. */
  get isAnswering(): boolean {
    return this.#unanswered < UNANSWERED_MAX;
  }

  get hasRoom(): boolean {
    return this.#takesRuns && this.running < RUNS_MAX && this.#parts.clock.monotonic() >= this.#leftOutUntilMs;
  }

  /** @param definition the digest of the definitions that a run needs */
  mayRun(definition: string): boolean {
    return this.hasRoom && (this.#lacking.get(definition) ?? -Infinity) <= this.#parts.clock.monotonic();
  }

  /** It does not run these definitions: it has others by these names, none, or settings that forbid them. */
  noteLacking(definition: string): void {
    if (this.#lacking.size >= LACKING_MAX) this.#lacking.clear();
    this.#lacking.set(definition, this.#parts.clock.monotonic() + LACKING_MS);
  }

  /** A run has ended there. */
  noteEnded(): void {
    this.#lost = 0;
  }

  /** A run was not taken, or its end is not known: others get the next ones. */
  noteLost(): void {
    const { clock, chance } = this.#parts;
    this.#leftOutUntilMs = clock.monotonic() + backoffMs(++this.#lost, chance(), LEFT_OUT);
  }

  /** Asks whether it runs handlers, when it is time. Never rejects. */
  async ask(): Promise<void> {
    const { clock } = this.#parts;
    if (this.#isAsking || clock.monotonic() < this.#askAtMs) return;
    this.#isAsking = true;
    try {
      this.#takesRuns = await this.#asked();
      this.#unanswered = 0;
    } catch (error) {
      this.#noteUnanswered(errorMessage(error));
    } finally {
      this.#isAsking = false;
      this.#askAtMs = clock.monotonic() + this.#pauseMs();
    }
  }

  /**
   * Posts something and waits for the whole answer.
   *
   * @param limitMs undefined: it may take as long as the member answers at all
   * @throws Error when it was not sent, not answered, or too much was answered
   */
  async post(path: string, body: Buffer, limitMs: number | undefined, signal?: AbortSignal): Promise<Answer> {
    return await this.#exchange({ method: 'POST', path, body }, limitMs, signal);
  }

  /** Gives up whatever is under way there. */
  cut(): void {
    for (const link of [...this.#formerLinks.splice(0), this.#link]) link[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.cut();
  }

  async #asked(): Promise<boolean> {
    const { status, text } = await this.#exchange({ method: 'GET', path: PEER_RUNS_PATH }, ASKED_MS);
    if (status !== 200) throw new Error(`it answered ${String(status)}`);
    return takesRunsSchema.parse(JSON.parse(text)).takes_runs;
  }

  #noteUnanswered(reason: string): void {
    const { id: member, url, name } = this.place;
    this.#takesRuns = false;
    this.#unanswered++;
    if (this.#unanswered === UNANSWERED_MAX) this.cut();
    if (this.#unanswered > 1) return;
    this.#parts.log.warn({ member, name, url, reason }, 'handler runs cannot be sent to another member');
  }

  #pauseMs(): number {
    return this.#unanswered === 0 ? ASK_MS : backoffMs(this.#unanswered, this.#parts.chance(), ASK_AGAIN);
  }

  async #exchange(
    request: { readonly method: string; readonly path: string; readonly body?: Buffer },
    limitMs: number | undefined,
    signal?: AbortSignal,
  ): Promise<Answer> {
    return await askPeer(this.#link, { ...request, limitMs, signal }, this.#parts.clock);
  }
}
