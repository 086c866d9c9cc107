import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';

/**
 * The key of an event. It contains names instead of object references, because a reload of the registry would make
 * references invalid.
 */
export type EventKey = readonly [namespace: string, client: string, check: string];

interface EventQueueOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
  /** Handles some events in one commit. If it rejects, the events are handled again later. */
  readonly handle: (keys: readonly EventKey[]) => Promise<void>;
  /** The log message for events that could not be handled. */
  readonly failureMessage: string;
}

/** Maximum number of events in one commit, so that many events at one time do not delay the processing of results. */
const EVENTS_PER_CHUNK = 100;
/** Delay in milliseconds before events whose handling failed are handled again. */
const RETRY_DELAY_MS = 1000;

/**
 * A queue of events that are handled in chunks, one chunk after another. An event that is added again before it is
 * handled is in the queue once.
 */
export class EventQueue implements Disposable {
  readonly #options: EventQueueOptions;
  readonly #keys = new Map<string, EventKey>();
  #isProcessing = false;
  #isDisposed = false;
  #retryTimer: Disposable | undefined;

  constructor(options: EventQueueOptions) {
    this.#options = options;
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  add(key: EventKey): void {
    this.#keys.set(JSON.stringify(key), key);
    if (!this.#isProcessing && this.#retryTimer === undefined) void this.#process();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#retryTimer?.[Symbol.dispose]();
  }

  /** Handles events until the queue is empty. Never rejects: after an error, the events are handled later. */
  async #process(): Promise<void> {
    this.#isProcessing = true;
    // Events that are added in the same turn of the event loop share their commit.
    await Promise.resolve();
    while (this.#keys.size > 0 && !this.#isDisposed) {
      const keys = this.#takeChunk();
      try {
        await this.#options.handle(keys);
      } catch (error) {
        this.#retry(keys, error);
        break;
      }
    }
    this.#isProcessing = false;
  }

  #takeChunk(): readonly EventKey[] {
    const keys: EventKey[] = [];
    for (const [id, key] of this.#keys) {
      if (keys.length === EVENTS_PER_CHUNK) break;
      this.#keys.delete(id);
      keys.push(key);
    }
    return keys;
  }

  #retry(keys: readonly EventKey[], error: unknown): void {
    if (this.#isDisposed) return;
    const { clock, log, failureMessage } = this.#options;
    log.warn({ events: keys.length, reason: errorMessage(error) }, failureMessage);
    // The failed events go to the end of the queue, so that an event that always fails does not block other events.
    for (const key of keys) this.#keys.set(JSON.stringify(key), key);
    this.#retryTimer = clock.after(RETRY_DELAY_MS, () => {
      this.#retryTimer = undefined;
      void this.#process();
    });
  }
}
