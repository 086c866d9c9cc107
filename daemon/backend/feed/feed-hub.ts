import type { WebSocket } from 'ws';
import { SEVERITIES } from '../../../shared/domain/severity.ts';
import type { FeedMessage, FeedStats } from '../../../shared/schemas/feed.ts';
import type { Principal } from '../access/principal.ts';
import { FeedConsumer } from './feed-consumer.ts';
import type { FeedDependencies } from './feed-dependencies.ts';
import type { FeedReach } from './feed-reach.ts';

/** Minimum interval in milliseconds between two frames of changes. */
const FRAME_MS = 50;
const STATS_MS = 1000;
const CONSUMERS_MAX = 1000;

/** WebSocket close code: the server is overloaded, and the consumer should try again later. */
const TRY_AGAIN_LATER = 1013;

/**
 * The live feed. Consumers have no queues, so a slow consumer costs no memory: each has a position in the change log.
 * After it has read the previous frame, it gets the newest state of the objects that changed after its position.
 *
 * Rows are read from the registry only between two commits, while the registry equals the store. So a consumer at a
 * sequence number has the same rows as it would get from a restarted backend at that number.
 */
export class FeedHub implements Disposable {
  readonly #dependencies: FeedDependencies;
  readonly #consumers = new Set<FeedConsumer>();
  readonly #timers: Disposable[];
  #isDue = false;
  #committedResults = 0;
  #statsMs: number;

  constructor(dependencies: FeedDependencies) {
    this.#dependencies = dependencies;
    this.#statsMs = dependencies.clock.monotonic();
    this.#timers = [
      dependencies.clock.every(FRAME_MS, () => {
        this.#isDue = true;
        if (dependencies.batcher.isIdle) this.#flush();
      }),
      dependencies.clock.every(STATS_MS, () => this.#sendStats()),
      dependencies.batcher.commits.onIdle(() => {
        if (this.#isDue) this.#flush();
      }),
    ];
  }

  /** Number of connected consumers. */
  get size(): number {
    return this.#consumers.size;
  }

  /** Lag in milliseconds of the consumer that is furthest behind; 0 without consumers. */
  get lagMs(): number {
    let worstMs = 0;
    for (const { lagMs } of this.#consumers) worstMs = Math.max(worstMs, lagMs);
    return worstMs;
  }

  /** Adds a consumer with an open WebSocket that negotiated `FEED_PROTOCOL`. The principal must be allowed to read. */
  accept(socket: WebSocket, principal: Principal): void {
    if (this.#consumers.size >= CONSUMERS_MAX) {
      socket.close(TRY_AGAIN_LATER, 'too many consumers');
      return;
    }
    const consumer = new FeedConsumer(socket, principal, this.#dependencies, () => this.#consumers.delete(consumer));
    this.#consumers.add(consumer);
    consumer.greet();
  }

  /**
   * Sends a message of a transport to the consumers that are subscribed to it now. The message is not stored.
   *
   * @param namespace namespace of the event that the message is about
   */
  publish(transport: string, namespace: string, data: string): void {
    const listeners = [...this.#consumers].filter((consumer) => consumer.wantsTransport(transport, namespace));
    if (listeners.length === 0) return;
    const message: FeedMessage = { type: 'message', transport, time: this.#dependencies.clock.now(), data };
    const frame = JSON.stringify(message);
    for (const consumer of listeners) consumer.sendTransportMessage(transport, frame);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  #flush(): void {
    // After the selectors of silences change, all events are evaluated in chunks. Rows are built after that.
    if (this.#dependencies.isPrepared?.() === false) {
      setImmediate(() => this.#continue());
      return;
    }
    this.#isDue = false;
    // Consumers at the same sequence number with the same namespaces and topics share a frame.
    const frames = new Map<string, string>();
    let isMore = false;
    for (const consumer of this.#consumers) isMore = consumer.advance(frames) || isMore;
    // The next frames of snapshots are sent after the event loop has run other work.
    if (isMore) setImmediate(() => this.#continue());
  }

  #continue(): void {
    this.#isDue = true;
    if (this.#dependencies.batcher.isIdle) this.#flush();
  }

  #sendStats(): void {
    const { batcher, clock, entityLimit } = this.#dependencies;
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
    for (const namespace of reach.namespaces(this.#dependencies.registry)) {
      for (const severity of SEVERITIES) results[severity] += namespace.results[severity];
      clients += namespace.clients.size;
    }
    return { results, clients };
  }
}

/** The statistics that are about the whole backend, not about the namespaces that a consumer reads. */
type BackendStats = Omit<FeedStats, 'results' | 'clients'>;
