import { backoffMs } from '../domain/backoff.ts';
import type { FeedRequest, FeedTopic } from '../schemas/feed-request.ts';
import type { EventRow, FeedMessage, FeedRows, FeedStats } from '../schemas/feed.ts';
import { DEFAULT_NAMESPACE } from '../schemas/namespace.ts';
import { backendAddress } from './local-access.ts';
import type { BackendAddress, CredentialsEnv } from './backend-address.ts';
import { systemFeedClock, type FeedClock } from './feed-clock.ts';
import { openLink, type Link, type LinkEnd } from './feed-link.ts';
import { FeedSession, type FeedPosition, type RowsMetadata } from './feed-session.ts';

/** State of the connection. `attempt` counts from 1 and restarts after the feed was live. */
export type FeedState =
  | { readonly kind: 'connecting'; readonly attempt: number }
  /** Connected; a snapshot or the changes since the last connection are arriving. */
  | { readonly kind: 'syncing' }
  | { readonly kind: 'live' }
  /** Attempt number `attempt` follows at `retryAtMs`, on the clock of the options. */
  | { readonly kind: 'waiting'; readonly attempt: number; readonly retryAtMs: number; readonly reason: string }
  /**
   * A retry alone will not help: `unauthenticated`, `forbidden`, `not_found`, `version`, `invalid` (the filter, or a
   * namespace on a backend without namespaces). The client still retries every 30 s, and keeps this state until that
   * succeeds.
   */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

type Hello = Extract<FeedMessage, { type: 'hello' }>;

/** Messages of a feed about transports. */
export type TransportMessage = Extract<FeedMessage, { type: 'message' | 'missed' }>;

/** Called in the order of events, never from within `openFeed`. Errors of a listener are not caught. */
export interface FeedListener {
  onState(state: FeedState): void;
  onHello?(hello: Hello): void;
  /**
   * Receives rows by key, `null` for removed ones. `about.replace` marks the start of a snapshot, which replaces all
   * earlier rows. Frames of a snapshot are passed on as they arrive, so that a first screen can fill early; wait for
   * the state `live` to have the complete state.
   */
  onRows(rows: FeedRows, metadata: RowsMetadata): void;
  /**
   * Receives events of a snapshot, after `onRows` with the other rows of the frame. If this method exists, a capable
   * backend sends them in columns, which parse faster. All other events go to `onRows`.
   */
  onSnapshotEvents?(events: readonly EventRow[]): void;
  onStats(stats: FeedStats, timeMs: number): void;
  /** Receives a message of a subscribed transport, or the number of messages that were lost. */
  onTransport?(message: TransportMessage): void;
}

export interface FeedOptions {
  readonly backend: string;
  /** Topics to subscribe to; may be empty with `transports`. */
  readonly topics: readonly FeedTopic[];
  /** Names of transports whose messages to receive. They are live only: messages during a disconnection are lost. */
  readonly transports?: readonly string[];
  /**
   * A name, or `*` for all namespaces that the credentials may read. Default: `default`, also for backends without
   * namespaces.
   */
  readonly namespace?: string;
  /** Search that filters events only. Default: all. */
  readonly filter?: string;
  /** Headers of the handshake; they override those of the credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Variables with credentials that are not in the URL. Default: the process environment. */
  readonly env?: CredentialsEnv;
  readonly clock?: FeedClock;
  /** Returns a random number from 0 to below 1, for the jitter of delays. */
  readonly random?: () => number;
}

/** The rate and amount of changes to receive. */
export interface FeedPace {
  /** Minimum milliseconds between two frames of changes; 0, the initial value: no minimum. */
  readonly ms: number;
  /**
   * Keys of the events to receive in full, at most `WHOLE_EVENTS_MAX`; others arrive in brief (`about.brief`).
   * Undefined, the initial value: all in full. An event received in brief is sent in full when it is added.
   */
  readonly full?: readonly string[] | undefined;
}

export interface Feed {
  /** Drops the connection, if any, and connects now. It resumes from the last position. */
  reconnect(): void;
  /** Like `reconnect`, but discards the position, so that a whole snapshot follows. */
  resync(): void;
  /** Sets the pace, which applies to later connections too. A backend without support ignores it. */
  setPace(pace: FeedPace): void;
  /** Closes the feed; the listener is not called any more. */
  close(): void;
  /** Sequence number up to which all changes were received; 0 while a snapshot is pending. */
  readonly seq: number;
}

const PAUSE = { minMs: 500, maxMs: 30_000 };
/** Delays for a list of backends: before the next one, and after a round in which none could be reached. */
const NEXT_PAUSE = { minMs: 100, maxMs: 500 };
const ROUND_PAUSE = { minMs: 500, maxMs: 2000 };
const REFUSED_PAUSE_MS = 30_000;

const TAKES_NOTHING = { pace: false, brief: false };
/** The initial pace, which need not be sent. */
const AS_IT_BEGINS = JSON.stringify({ type: 'pace', ms: 0 } satisfies FeedRequest);

/**
 * Follows the feed of a backend permanently. It reconnects after every loss and resumes by sequence number, so that the
 * rows passed on add up to the state of the backend.
 *
 * @throws MonError `invalid` if `backend` is not a URL
 */
export function openFeed(options: FeedOptions, listener: FeedListener): Feed {
  return new ReconnectingFeed(options, listener);
}

class ReconnectingFeed implements Feed {
  readonly #listener: FeedListener;
  readonly #options: FeedOptions;
  readonly #address: BackendAddress;
  readonly #clock: FeedClock;
  readonly #random: () => number;
  #position: FeedPosition | undefined;
  #attempt = 1;
  #isRefused = false;
  #isClosed = false;
  #pace: FeedPace = { ms: 0 };
  /** Features that the connected backend supports. */
  #takes: { readonly pace: boolean; readonly brief: boolean } = TAKES_NOTHING;
  /** The pace that was sent last. */
  #saidPace = '';
  #link: Link | undefined;
  #retry: Disposable | undefined;

  constructor(options: FeedOptions, listener: FeedListener) {
    this.#address = backendAddress(options.backend, options);
    this.#options = options;
    this.#listener = listener;
    this.#clock = options.clock ?? systemFeedClock;
    this.#random = options.random ?? Math.random;
    // Connects later, so that the caller has the feed when its listener is called for the first time.
    queueMicrotask(() => {
      if (!this.#isClosed && this.#link === undefined) this.#connect();
    });
  }

  get seq(): number {
    return this.#position?.seq ?? 0;
  }

  reconnect(): void {
    if (this.#isClosed) return;
    this.#disconnect();
    this.#attempt = 1;
    // The user expects a new attempt, for example after changing the credentials.
    this.#isRefused = false;
    this.#connect();
  }

  resync(): void {
    this.#position = undefined;
    this.reconnect();
  }

  setPace(pace: FeedPace): void {
    this.#pace = pace;
    this.#sayPace();
  }

  /** Sends the pace, unless it was sent already. */
  #sayPace(): void {
    if (!this.#takes.pace) return;
    const { ms, full } = this.#pace;
    const request: FeedRequest = { type: 'pace', ms, ...(this.#takes.brief && full && { full: [...full] }) };
    const said = JSON.stringify(request);
    if (said === this.#saidPace) return;
    this.#saidPace = said;
    this.#link?.say(request);
  }

  close(): void {
    this.#isClosed = true;
    this.#disconnect();
  }

  #disconnect(): void {
    this.#retry?.[Symbol.dispose]();
    this.#link?.close();
    this.#link = undefined;
  }

  #subscribe({ columns = false }: Hello): FeedRequest {
    const { topics, transports, namespace, filter } = this.#options;
    return {
      type: 'subscribe',
      topics: [...topics],
      ...(transports !== undefined && { transports: [...transports] }),
      // Older backends do not know this attribute.
      ...(namespace !== undefined && namespace !== DEFAULT_NAMESPACE && { namespace }),
      ...(filter !== undefined && { filter }),
      ...(columns && this.#listener.onSnapshotEvents !== undefined && { columns }),
      ...(this.#position !== undefined && { since: this.#position.seq, store: this.#position.store }),
    };
  }

  #connect(): void {
    const session = new FeedSession(this.#position);
    if (!this.#isRefused) this.#listener.onState({ kind: 'connecting', attempt: this.#attempt });
    // The listener may have closed or reconnected the feed in that call.
    if (this.#isClosed || this.#link !== undefined) return;
    this.#takes = TAKES_NOTHING;
    this.#saidPace = AS_IT_BEGINS;
    const { url } = this.#address;
    this.#link = openLink(this.#address, this.#clock, {
      onOpen: () => {
        if (!this.#isRefused) this.#listener.onState({ kind: 'syncing' });
      },
      onMessage: (message) => this.#take(message, session),
      onEnd: (end) => {
        if (end.kind === 'lost') this.#address.failOverFrom?.(url);
        this.#pause(end);
      },
    });
  }

  #take(message: Exclude<FeedMessage, { type: 'ping' | 'pong' | 'error' }>, session: FeedSession): void {
    if (message.type === 'stats') return this.#listener.onStats(message.stats, message.time);
    if (message.type === 'message' || message.type === 'missed') return this.#listener.onTransport?.(message);
    const delivery = session.accept(message);
    this.#position = session.position;
    if (delivery.kind === 'broken') {
      // After a protocol violation, earlier messages of the backend are not trusted either.
      this.#position = undefined;
      return this.#link?.drop(delivery.reason);
    }
    if (message.type === 'hello') {
      this.#takes = { pace: message.pace === true, brief: message.brief === true };
      this.#link?.say(this.#subscribe(message));
      this.#sayPace();
      return this.#listener.onHello?.(message);
    }
    const link = this.#link;
    // Only rows prove that the subscription was accepted: a filter, for example, is rejected after the hello.
    if (this.#isRefused && delivery.kind !== 'nothing') {
      this.#isRefused = false;
      this.#listener.onState({ kind: 'syncing' });
    }
    if (delivery.kind === 'syncing') return this.#listener.onState({ kind: 'syncing' });
    if (delivery.kind === 'live') this.#attempt = 1;
    // Each call of the listener may close or restart the feed.
    if ('metadata' in delivery && delivery.rows !== undefined && this.#link === link) {
      this.#listener.onRows(delivery.rows, delivery.metadata);
    }
    if (delivery.kind === 'rows' && delivery.events !== undefined && this.#link === link) {
      this.#listener.onSnapshotEvents?.(delivery.events);
    }
    if (delivery.kind === 'live' && this.#link === link) this.#listener.onState({ kind: 'live' });
  }

  /**
   * Returns the delay before the next attempt. The backends of a list are tried quickly, because one of them is or
   * becomes the leader.
   */
  #pauseMs(): number {
    const { others = 0 } = this.#address;
    const rounds = (this.#attempt - 1) / (others + 1);
    if (!Number.isInteger(rounds)) return backoffMs(0, this.#random(), NEXT_PAUSE);
    return backoffMs(rounds, this.#random(), others === 0 ? PAUSE : ROUND_PAUSE);
  }

  #pause(end: LinkEnd): void {
    this.#link = undefined;
    this.#attempt += 1;
    this.#isRefused = end.kind === 'refused';
    const delayMs = this.#isRefused ? REFUSED_PAUSE_MS : this.#pauseMs();
    this.#retry = this.#clock.after(delayMs, () => this.#connect());
    this.#listener.onState(
      end.kind === 'refused'
        ? end
        : { kind: 'waiting', attempt: this.#attempt, retryAtMs: this.#clock.now() + delayMs, reason: end.reason },
    );
  }
}
