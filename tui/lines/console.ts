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
import { findMatchingEvents } from './events.ts';
import { LinesState } from './state.ts';
import { announcementText, countsWords } from './sentences.ts';

/**
 * Minimum time between two announcements. Each interrupts the screen reader, which must be able to finish a sentence.
 */
export const ANNOUNCE_EVERY_MS = 2000;

/** Interval at which the console checks whether there is something to announce. */
const LOOK_EVERY_MS = 250;

const PROMPT_TEXT = 'mon> ';

export interface LinesClock extends FeedClock {
  every(periodMs: number, task: () => void): Disposable;
}

export interface LinesDependencies {
  readonly backend: string;
  /** Environment variables with the credentials that the URL does not contain. Default: those of the process. */
  readonly env?: CredentialsEnv;
  /** Namespace of the events that are read and announced, and of all changes. Default: `default`. */
  readonly namespace?: string | undefined;
  readonly api: () => Promise<ApiClient>;
  readonly clock: LinesClock;
  readonly creator: string;
  /** Session id with which this console takes ownership of an upgrade plan. Default: a random id. */
  readonly session?: string;
  readonly readOnly: boolean;
  /** Writes text to the output: whole lines, or a prompt or question without a line break. */
  readonly write: (text: string) => void;
  /** Returns a random number from 0 to below 1, for the jitter of reconnects. */
  readonly random?: () => number;
}

/**
 * The console in screen-reader mode: it only appends sentences and a prompt, and therefore also serves terminals that
 * cannot move the cursor. It announces changes by itself, but never while a command runs or asks a question.
 */
export class LinesConsole implements Disposable {
  /** Promise that resolves when the user quits or the input ends. */
  readonly done: Promise<void>;
  readonly #dependencies: LinesDependencies;
  readonly #lines = new LineSource();
  readonly #changes = new EventChanges();
  readonly #state: LinesState;
  readonly #feed: Feed;
  readonly #timer: Disposable;
  /** True while the prompt waits for a command; false while a command runs or asks a question. */
  #isPrompting = false;
  #isLive = false;
  /** Message about the connection that will be announced next; a newer message replaces it. */
  #notice: string | undefined;
  /** True if the loss of the connection was announced, or will be announced next. */
  #isLossAnnounced = false;
  #announcedAtMs = -Infinity;

  constructor(dependencies: LinesDependencies) {
    this.#dependencies = dependencies;
    const { backend, env, namespace, clock, random = Math.random } = dependencies;
    this.#state = new LinesState({
      ...dependencies,
      events: this.#changes.events,
      session: dependencies.session ?? randomUUID(),
      upgrades: async () => {
        const { openUpgradeClient } = await import('../../shared/client/plan-client.ts');
        return openUpgradeClient({ backend, ...(env && { env }) });
      },
    });
    this.#feed = openFeed(
      {
        backend,
        topics: ['events'],
        attributes: true,
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

  /** Handles a line that the user typed. */
  input(line: string): void {
    this.#lines.push(line);
  }

  /** Handles the end of the input: the console quits after the lines that were already typed. */
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
      `mon in screen-reader mode. Connecting to ${parseBackendAddresses(this.#dependencies.backend, {})[0].url}. Type "help" to list all commands.`,
    );
    for (;;) {
      this.#prompt();
      const line = await this.#lines.next();
      this.#isPrompting = false;
      if (line === undefined) break;
      try {
        const isOver = await runPromptCommand(line, this.#state, {
          say: (text) => this.#say(text),
          ask: (question) => this.#promptUser(question),
        });
        if (isOver) break;
      } catch (error) {
        this.#say(safeLine(`Failed: ${errorMessage(error)}`));
      }
    }
    this[Symbol.dispose]();
  }

  /**
   * Prints a question and waits for the typed answer.
   *
   * @returns `undefined` when the input ends before an answer
   */
  async #promptUser(question: string): Promise<string | undefined> {
    this.#dependencies.write(`${question} `);
    return this.#lines.next();
  }

  #say(text: string): void {
    this.#dependencies.write(`${text}\n`);
  }

  #prompt(): void {
    this.#dependencies.write(PROMPT_TEXT);
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
    // A connection loss that ends before its announcement is not announced.
    else this.#notice = this.#isLossAnnounced && this.#notice === undefined ? 'Connected again.' : undefined;
    this.#isLossAnnounced = false;
  }

  /** Announces the events of the first snapshot as counts by class, and not one by one. */
  #begin(): void {
    this.#state.everLive = true;
    this.#changes.take();
    this.#notice = `Connected: ${countsWords(this.#changes.events.values())}.`;
  }

  #announce(): void {
    const nowMs = this.#dependencies.clock.now();
    if (!this.#isPrompting || nowMs - this.#announcedAtMs < ANNOUNCE_EVERY_MS) return;
    const text = this.#notice ?? this.#news(nowMs);
    if (text === undefined) return;
    this.#notice = undefined;
    this.#announcedAtMs = nowMs;
    // The current line contains the prompt and perhaps typed text. The typed text is still valid input, and the prompt
    // is repeated below.
    this.#dependencies.write(`\n${text}\n${PROMPT_TEXT}`);
  }

  #news(nowMs: number): string | undefined {
    // Changes are not announced while a snapshot arrives: events that are still missing would look resolved.
    if (!this.#isLive || this.#changes.pending === 0 || this.#state.isAnnouncementOff) return undefined;
    const changes = this.#changes.take();
    const { search } = this.#state;
    const heard = changes.filter(({ row }) => findMatchingEvents([row], search, nowMs).length > 0);
    return heard.length === 0 ? undefined : announcementText(heard, nowMs);
  }
}
