import type { WebSocket } from 'ws';
import { SEVERITIES } from '../../../shared/domain/severity.ts';
import type { FeedMessage, FeedStats } from '../../../shared/schemas/feed.ts';
import type { Principal } from '../access/principal.ts';
import { FeedConsumer } from './feed-consumer.ts';
import type { FeedParts } from './feed-parts.ts';
import type { FeedReach } from './feed-reach.ts';

/** Minimum interval between frames of changes. */
const FRAME_MS = 50;
const STATS_MS = 1000;
const CONSUMERS_MAX = 1000;

/** Close code of the WebSocket protocol: the server is overloaded. */
const TRY_AGAIN_LATER = 1013;

/**
 * The live feed. No queue per consumer: each has a position in the change log, and gets the newest state of the objects
 * changed since, when it has read the previous frame. So a slow consumer costs no memory.
 *
 * Rows are read from the registry only while it equals the store, between two commits: the rows of a consumer at a
 * sequence number equal those of a restarted backend at it.
 */
export class FeedHub implements Disposable {
  readonly #parts: FeedParts;
  readonly #consumers = new Set<FeedConsumer>();
  readonly #timers: Disposable[];
  #isDue = false;
  #committedResults = 0;
  #statsMs: number;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#statsMs = parts.clock.monotonic();
    this.#timers = [
      parts.clock.every(FRAME_MS, () => {
        this.#isDue = true;
        if (parts.batcher.isIdle) this.#flush();
      }),
      parts.clock.every(STATS_MS, () => this.#sendStats()),
      parts.batcher.commits.onIdle(() => {
        if (this.#isDue) this.#flush();
      }),
    ];
  }

  /** Number of connected consumers. */
  get size(): number {
    return this.#consumers.size;
  }

  /** Returns the lag of the consumer that is furthest behind. */
  get lagMs(): number {
    let worstMs = 0;
    for (const { lagMs } of this.#consumers) worstMs = Math.max(worstMs, lagMs);
    return worstMs;
  }

  /** Accepts an opened socket that speaks `FEED_PROTOCOL`, of a principal who may read. */
  accept(socket: WebSocket, principal: Principal): void {
    if (this.#consumers.size >= CONSUMERS_MAX) {
      socket.close(TRY_AGAIN_LATER, 'too many consumers');
      return;
    }
    const consumer = new FeedConsumer(socket, principal, this.#parts, () => this.#consumers.delete(consumer));
    this.#consumers.add(consumer);
    consumer.greet();
  }

  /**
   * Sends a message of a transport to its present listeners; nothing is kept for others or for later.
   *
   * @param namespace of the event
   */
  publish(transport: string, namespace: string, data: string): void {
    const listeners = [...this.#consumers].filter((consumer) => consumer.wantsTransport(transport, namespace));
    if (listeners.length === 0) return;
    const message: FeedMessage = { type: 'message', transport, time: this.#parts.clock.now(), data };
    const frame = JSON.stringify(message);
    for (const consumer of listeners) consumer.passOn(transport, frame);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  #flush(): void {
    // After a change of selectors, the silences of all events are evaluated in chunks; rows are built afterwards.
    if (this.#parts.isPrepared?.() === false) {
      setImmediate(() => this.#continue());
      return;
    }
    this.#isDue = false;
    // Consumers at the same position with the same namespaces and topics share a frame.
    const frames = new Map<string, string>();
    let isMore = false;
    for (const consumer of this.#consumers) isMore = consumer.advance(frames) || isMore;
    // A snapshot continues after other work had a chance to run.
    if (isMore) setImmediate(() => this.#continue());
  }

  #continue(): void {
    this.#isDue = true;
    if (this.#parts.batcher.isIdle) this.#flush();
  }

  #sendStats(): void {
    const { batcher, clock, entityLimit } = this.#parts;
    const entities = entityLimit.nearLimit();
    const nowMs = clock.monotonic();
    const committed = batcher.commits.results;
    const seconds = (nowMs - this.#statsMs) / 1000;
    const backendStats: BackendStats = {
      rate: seconds > 0 ? Math.round((committed - this.#committedResults) / seconds) : 0,
      queue: batcher.queued,
      ...(entities === undefined ? {} : { entities }),
    };
    this.#committedResults = committed;
    this.#statsMs = nowMs;
    const time = clock.now();
    const messages = new Map<string, FeedMessage>();
    const statsOf = (reach: FeedReach): FeedMessage => {
      let message = messages.get(reach.id);
      if (message === undefined) {
        message = { type: 'stats', time, stats: { ...this.#countsOf(reach), ...backendStats } };
        messages.set(reach.id, message);
      }
      return message;
    };
    for (const consumer of this.#consumers) consumer.beat(statsOf);
  }

  #countsOf(reach: FeedReach): Pick<FeedStats, 'results' | 'clients'> {
    const results = { ok: 0, warning: 0, critical: 0, unknown: 0 };
    let clients = 0;
    for (const namespace of reach.namespaces(this.#parts.registry)) {
      for (const severity of SEVERITIES) results[severity] += namespace.results[severity];
      clients += namespace.clients.size;
    }
    return { results, clients };
  }
}

/** The figures that do not belong to one namespace. */
type BackendStats = Omit<FeedStats, 'results' | 'clients'>;
