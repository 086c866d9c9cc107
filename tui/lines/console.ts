import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../shared/client/api-client.ts';
import { parseBackendAddresses, type CredentialsEnv } from '../../shared/client/backend-address.ts';
import { openFeed, type Feed, type FeedState } from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { errorMessage } from '../../shared/errors.ts';
import { runPromptCommand } from './commands.ts';
import { EventChanges } from './event-changes.ts';
import { LineSource } from './line-source.ts';
import { matching } from './events.ts';
import { LinesState } from './state.ts';
import { announcement, countsWords } from './sentences.ts';

/**
 * Minimum time between two unrequested lines: a screen reader that is interrupted more often gets nothing
 * across.
 */
export const ANNOUNCE_EVERY_MS = 2000;

/** Interval at which the console checks for announcements. */
const LOOK_EVERY_MS = 250;

const PROMPT = 'mon> ';

export interface LinesClock extends FeedClock {
  every(periodMs: number, task: () => void): Disposable;
}

export interface LinesParts {
  readonly backend: string;
  /** Source of the credentials that the URL does not contain. Default: the environment of the process. */
  readonly env?: CredentialsEnv;
  /** The namespace that is read, announced and changed. Default: `default`. */
  readonly namespace?: string | undefined;
  readonly api: () => Promise<ApiClient>;
  readonly clock: LinesClock;
  readonly creator: string;
  /** The id of this console among those that work on upgrade plans; default: a new one. */
  readonly session?: string;
  readonly readOnly: boolean;
  /** Writes whole lines, and the prompt. */
  readonly write: (text: string) => void;
  /** Returns a random number from 0 to below 1, for the jitter of reconnects. */
  readonly random?: () => number;
}

/**
 * The console in screen-reader mode: it only appends sentences and a prompt. It also serves terminals that
 * cannot move the cursor. Changes are announced automatically, but never while a question is open.
 */
export class LinesConsole implements Disposable {
  /** Resolves when the user quits or the input ends. */
  readonly done: Promise<void>;
  readonly #parts: LinesParts;
  readonly #lines = new LineSource();
  readonly #changes = new EventChanges();
  readonly #state: LinesState;
  readonly #feed: Feed;
  readonly #timer: Disposable;
  /** True while the prompt is on the screen and no question is open. */
  #isPrompting = false;
  #isLive = false;
  /** The next message about the connection; a newer one replaces it. */
  #notice: string | undefined;
  /** True if the loss of the connection was announced, or is about to be. */
  #isLossAnnounced = false;
  #saidAtMs = -Infinity;

  constructor(parts: LinesParts) {
    this.#parts = parts;
    const { backend, env, namespace, clock, random = Math.random } = parts;
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
        random,
        ...(env && { env }),
        ...(namespace !== undefined && { namespace }),
      },
      {
        onState: (state) => this.#connected(state),
        onRows: (rows, details) => this.#changes.apply(rows, details),
        onStats: () => undefined,
      },
    );
    this.#timer = clock.every(LOOK_EVERY_MS, () => this.#announce());
    this.done = this.#converse();
  }

  /** Handles a typed line. */
  input(line: string): void {
    this.#lines.push(line);
  }

  /** Handles the end of the input. */
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
      `mon in screen-reader mode. Connecting to ${parseBackendAddresses(this.#parts.backend, {})[0].url}. Type "help" to list all commands.`,
    );
    for (;;) {
      this.#prompt();
      const line = await this.#lines.next();
      this.#isPrompting = false;
      if (line === undefined) break;
      try {
        const isOver = await runPromptCommand(line, this.#state, {
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

  /**
   * Asks a question.
   *
   * @returns `undefined` when the input ended instead of an answer
   */
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
    if (state.kind === 'live') this.#handleLive();
    if (state.kind === 'waiting' && !this.#isLossAnnounced) {
      this.#isLossAnnounced = true;
      this.#notice = safeLine(`Not connected: ${state.reason}. The console will reconnect automatically.`);
    }
    if (state.kind === 'refused') this.#notice = safeLine(`The backend refused the connection: ${state.message}`);
  }

  #handleLive(): void {
    if (!this.#state.everLive) this.#begin();
    // A loss that ends before its announcement is not announced.
    else this.#notice = this.#isLossAnnounced && this.#notice === undefined ? 'Connected again.' : undefined;
    this.#isLossAnnounced = false;
  }

  /** Announces the initial events as counts only. */
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
    // The prompt is on this line, perhaps with typed text. The text stays, and the prompt is repeated.
    this.#parts.write(`\n${text}\n${PROMPT}`);
  }

  #news(nowMs: number): string | undefined {
    // Not during a snapshot: events that it has not contained yet would look resolved.
    if (!this.#isLive || this.#changes.pending === 0 || this.#state.isAnnouncementOff) return undefined;
    const changes = this.#changes.take();
    const { search } = this.#state;
    const heard = changes.filter(({ row }) => matching([row], search, nowMs).length > 0);
    return heard.length === 0 ? undefined : announcement(heard, nowMs);
  }
}
