import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../shared/client/api-client.ts';
import { parseBackendAddresses, type CredentialsEnv } from '../../shared/client/backend-address.ts';
import { openFeed, type Feed, type FeedState } from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { errorMessage } from '../../shared/errors.ts';
import { runCommand } from './commands.ts';
import { EventChanges } from './event-changes.ts';
import { LineSource } from './line-source.ts';
import { matching } from './events.ts';
import { LinesState } from './state.ts';
import { announcement, countsWords } from './sentences.ts';

/** At most one line that nobody asked for in this time: a reader that is interrupted more often reads nothing. */
export const ANNOUNCE_EVERY_MS = 2000;

/** How often it is looked whether there is something to say. */
const LOOK_EVERY_MS = 250;

const PROMPT = 'mon> ';

export interface LinesClock extends FeedClock {
  every(periodMs: number, task: () => void): Disposable;
}

export interface LinesParts {
  readonly backend: string;
  /** Where credentials are that the URL does not hold. Default: the environment of the process. */
  readonly env?: CredentialsEnv;
  /** What is read, announced and changed is of it. Default: `default`. */
  readonly namespace?: string | undefined;
  readonly api: () => Promise<ApiClient>;
  readonly clock: LinesClock;
  readonly creator: string;
  /** Names this console among those that work on plans for upgrades; default: a name of its own. */
  readonly session?: string;
  readonly readOnly: boolean;
  /** Takes whole lines, and the prompt. */
  readonly write: (text: string) => void;
  /** 0 to below 1, for the spread of the pauses between attempts to connect. */
  readonly chance?: () => number;
}

/**
 * The console as a conversation: sentences that are only ever appended, and a prompt. For screen readers, and for
 * terminals that cannot move the cursor. What happens is announced by itself, but never while a question is open.
 */
export class LinesConsole implements Disposable {
  /** Resolves when the person quits or the input ends. */
  readonly done: Promise<void>;
  readonly #parts: LinesParts;
  readonly #lines = new LineSource();
  readonly #changes = new EventChanges();
  readonly #state: LinesState;
  readonly #feed: Feed;
  readonly #timer: Disposable;
  /** Whether the prompt is on the screen, and nothing is asked. */
  #isPrompting = false;
  #isLive = false;
  /** What is to be said about the connection; a newer one takes its place. */
  #notice: string | undefined;
  /** Whether it was said, or is about to be, that there is no connection. */
  #isLossKnown = false;
  #saidAtMs = -Infinity;

  constructor(parts: LinesParts) {
    this.#parts = parts;
    const { backend, env, namespace, clock, chance = Math.random } = parts;
    this.#state = new LinesState({
      ...parts,
      events: this.#changes.events,
      session: parts.session ?? randomUUID(),
      upgrades: async () => {
        const { openUpgradeClient } = await import('../../shared/client/plan-client.ts');
        return openUpgradeClient({ backend, ...(env && { env }) });
      },
    });
    this.#feed = openFeed(
      {
        backend,
        topics: ['events'],
        clock,
        chance,
        ...(env && { env }),
        ...(namespace !== undefined && { namespace }),
      },
      {
        onState: (state) => this.#connected(state),
        onRows: (rows, about) => this.#changes.apply(rows, about),
        onStats: () => undefined,
      },
    );
    this.#timer = clock.every(LOOK_EVERY_MS, () => this.#announce());
    this.done = this.#converse();
  }

  /** A line that was typed. */
  input(line: string): void {
    this.#lines.push(line);
  }

  /** The input is closed. */
  end(): void {
    this.#lines.end();
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#feed.close();
    this.#lines.end();
  }

  async #converse(): Promise<void> {
    this.#say(
      `mon in screen-reader mode. Connecting to ${parseBackendAddresses(this.#parts.backend, {})[0].url}. Type help to list all commands.`,
    );
    for (;;) {
      this.#prompt();
      const line = await this.#lines.next();
      this.#isPrompting = false;
      if (line === undefined) break;
      try {
        const isOver = await runCommand(line, this.#state, {
          say: (text) => this.#say(text),
          ask: (question) => this.#ask(question),
        });
        if (isOver) break;
      } catch (error) {
        this.#say(safeLine(`Failed: ${errorMessage(error)}`));
      }
    }
    this[Symbol.dispose]();
  }

  /** @returns `undefined` when the input ended instead of an answer */
  async #ask(question: string): Promise<string | undefined> {
    this.#parts.write(`${question} `);
    return this.#lines.next();
  }

  #say(text: string): void {
    this.#parts.write(`${text}\n`);
  }

  #prompt(): void {
    this.#parts.write(PROMPT);
    this.#isPrompting = true;
  }

  #connected(state: FeedState): void {
    this.#isLive = state.kind === 'live';
    this.#state.isLive = this.#isLive;
    if (state.kind === 'live') this.#found();
    if (state.kind === 'waiting' && !this.#isLossKnown) {
      this.#isLossKnown = true;
      this.#notice = safeLine(`Not connected: ${state.reason}. It will reconnect automatically.`);
    }
    if (state.kind === 'refused') this.#notice = safeLine(`The backend refused the connection: ${state.message}`);
  }

  #found(): void {
    if (!this.#state.everLive) this.#begin();
    // A loss that is over before it was said is no news.
    else this.#notice = this.#isLossKnown && this.#notice === undefined ? 'Connected again.' : undefined;
    this.#isLossKnown = false;
  }

  /** What there is at the start is told as figures, and is no news afterwards. */
  #begin(): void {
    this.#state.everLive = true;
    this.#changes.take();
    this.#notice = `Connected: ${countsWords(this.#changes.events.values())}.`;
  }

  #announce(): void {
    const nowMs = this.#parts.clock.now();
    if (!this.#isPrompting || nowMs - this.#saidAtMs < ANNOUNCE_EVERY_MS) return;
    const text = this.#notice ?? this.#news(nowMs);
    if (text === undefined) return;
    this.#notice = undefined;
    this.#saidAtMs = nowMs;
    // The prompt is on this line, perhaps with what is being typed: that stays, and the prompt follows again.
    this.#parts.write(`\n${text}\n${PROMPT}`);
  }

  #news(nowMs: number): string | undefined {
    // Not while a snapshot arrives: what it has not mentioned yet looks as if it were gone.
    if (!this.#isLive || this.#changes.pending === 0 || this.#state.isQuiet) return undefined;
    const changes = this.#changes.take();
    const { search } = this.#state;
    const heard = changes.filter(({ row }) => matching([row], search, nowMs).length > 0);
    return heard.length === 0 ? undefined : announcement(heard, nowMs);
  }
}
