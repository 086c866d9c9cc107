import { backoffMs } from '../domain/backoff.ts';
import type { FeedRequest, FeedTopic } from '../schemas/feed-request.ts';
import type { EventRow, FeedMessage, FeedRows, FeedStats } from '../schemas/feed.ts';
import { DEFAULT_NAMESPACE } from '../schemas/namespace.ts';
import { ReceivedAttributes } from './received-attributes.ts';
import { backendAddress } from './local-access.ts';
import type { BackendAddress, CredentialsEnv } from './backend-address.ts';
import { systemFeedClock, type FeedClock } from './feed-clock.ts';
import { openRenewedLink, type Link, type LinkEnd } from './feed-link.ts';
import { FeedSession, type FeedPosition, type RowsMetadata } from './feed-session.ts';

/**
 * State of the connection. `attempt` counts connection attempts; it starts at 1 and is reset to 1 when the feed is
 * live.
 */
export type FeedState =
  | { readonly kind: 'connecting'; readonly attempt: number }
  /** Connected; a snapshot or the changes since the last connection are arriving. */
  | { readonly kind: 'syncing' }
  | { readonly kind: 'live' }
  /**
   * Disconnected. Attempt number `attempt` starts at `retryAtMs`, in epoch milliseconds on the clock of `FeedOptions`.
   */
  | { readonly kind: 'waiting'; readonly attempt: number; readonly retryAtMs: number; readonly reason: string }
  /**
   * The backend refused the feed, and a retry alone will not help. `code` is `unauthenticated`, `forbidden`,
   * `not_found`, `version` or `invalid` (the filter, or a namespace on a backend without namespaces). The client still
   * retries every 30 s and stays in this state until a retry succeeds.
   */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

type HelloMessage = Extract<FeedMessage, { type: 'hello' }>;

/** A feed message that contains a message of a transport, or the number of lost messages. */
export type TransportMessage = Extract<FeedMessage, { type: 'message' | 'missed' }>;

/**
 * Receives the state and the data of a feed. The methods are called in order, and never before `openFeed` has returned.
 * The feed does not catch errors that they throw.
 */
export interface FeedListener {
  onState(state: FeedState): void;
  onHello?(hello: HelloMessage): void;
  /**
   * Receives rows by key; a removed row is `null`. `metadata.replace` marks the first frame of a snapshot, which
   * replaces all earlier rows. The frames of a snapshot are passed on as they arrive, so that a screen can fill early.
   * The rows are complete when the state is `live`.
   */
  onRows(rows: FeedRows, metadata: RowsMetadata): void;
  /**
   * Receives the events of a snapshot frame, after `onRows` received its other rows. If this method exists, a backend
   * that supports it sends these events in columns, which parse faster. All other events go to `onRows`.
   */
  onSnapshotEvents?(events: readonly EventRow[]): void;
  onStats(stats: FeedStats, timeMs: number): void;
  /** Receives a message of a subscribed transport, or the number of messages that were lost. */
  onTransport?(message: TransportMessage): void;
}

export interface FeedOptions {
  readonly backend: string;
  /** Topics to subscribe to. The list can be empty if `transports` is set. */
  readonly topics: readonly FeedTopic[];
  /**
   * True to receive the attributes of the client and the check of each event, if the backend supports it. Rows of
   * events then have `CLIENT_ATTRIBUTES` and `CHECK_ATTRIBUTES`. Default: false.
   */
  readonly attributes?: boolean;
  /** Names of transports whose messages to receive. Messages that are sent while the feed is disconnected are lost. */
  readonly transports?: readonly string[];
  /**
   * A namespace, or `*` for all namespaces that the credentials may read. Default: `default`, which also works with a
   * backend without namespaces.
   */
  readonly namespace?: string;
  /** A search that selects events; rows of other topics are not filtered. Default: all events. */
  readonly filter?: string;
  /** Headers of the WebSocket handshake; they override those of the credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Environment variables from which credentials are read if the URL has none. Default: `process.env`. */
  readonly env?: CredentialsEnv;
  readonly clock?: FeedClock;
  /** Returns a random number from 0 to below 1, for the jitter of delays. */
  readonly random?: () => number;
}

/** How often changes are sent, and which events are sent in full. */
export interface FeedPace {
  /** Minimum milliseconds between two frames of changes. 0, the initial value, means no minimum. */
  readonly ms: number;
  /**
   * Keys of the events whose changes are sent in full, at most `FULL_EVENTS_MAX`. Changes of other events are sent in
   * brief (`RowsMetadata.brief`). If this is undefined, as initially, all events are sent in full. When a key is added,
   * the backend sends the full row of an event that it had sent in brief.
   */
  readonly full?: readonly string[] | undefined;
}

export interface Feed {
  /**
   * Closes the connection, if there is one, and connects now. The new connection resumes after the last received
   * change.
   */
  reconnect(): void;
  /** Reconnects without resuming, so that a whole snapshot follows. */
  resync(): void;
  /** Sets the pace for this connection and later ones. It has no effect with a backend that does not support a pace. */
  setPace(pace: FeedPace): void;
  /** Closes the feed. The listener is not called any more. */
  close(): void;
  /**
   * Sequence number up to which all changes were received; 0 until the first snapshot is complete, and during a new
   * one.
   */
  readonly seq: number;
}

const RECONNECT_BACKOFF = { minMs: 500, maxMs: 30_000 };
/**
 * Delays for a list of backends: `NEXT_PAUSE` before the next backend of the list, `ROUND_PAUSE` after none of them
 * could be reached.
 */
const NEXT_PAUSE = { minMs: 100, maxMs: 500 };
const ROUND_PAUSE = { minMs: 500, maxMs: 2000 };
const REFUSED_PAUSE_MS = 30_000;

const NO_FEATURES = { pace: false, brief: false };
/** The request for the pace that each connection has from the beginning. It need not be sent. */
const INITIAL_PACE_REQUEST = JSON.stringify({ type: 'pace', ms: 0 } satisfies FeedRequest);

/**
 * Opens a feed that stays connected: it reconnects after every loss and resumes by sequence number. The rows that the
 * listener receives, applied in order, equal the state of the backend.
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
  readonly #sets: ReceivedAttributes | undefined;
  #attempt = 1;
  #isRefused = false;
  #isClosed = false;
  #pace: FeedPace = { ms: 0 };
  /** Whether the connected backend supports `setPace`, and sends changes of events in brief. */
  #supportedFeatures: { readonly pace: boolean; readonly brief: boolean } = NO_FEATURES;
  /** The last pace request of this connection, as JSON. */
  #sentPaceRequest = '';
  #link: Link | undefined;
  #retry: Disposable | undefined;

  constructor(options: FeedOptions, listener: FeedListener) {
    this.#address = backendAddress(options.backend, options);
    this.#options = options;
    this.#listener = listener;
    this.#clock = options.clock ?? systemFeedClock;
    this.#random = options.random ?? Math.random;
    this.#sets = options.attributes === true ? new ReceivedAttributes() : undefined;
    // Connects in a microtask, so that the caller has the feed before its listener is called.
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
    // Leaves the state `refused`: the caller expects a new attempt, for example after changing the credentials.
    this.#isRefused = false;
    this.#connect();
  }

  resync(): void {
    this.#position = undefined;
    this.reconnect();
  }

  setPace(pace: FeedPace): void {
    this.#pace = pace;
    this.#sendPace();
  }

  /** Sends the pace, unless the backend does not support it or already has it. */
  #sendPace(): void {
    if (!this.#supportedFeatures.pace) return;
    const { ms, full } = this.#pace;
    const request: FeedRequest = {
      type: 'pace',
      ms,
      ...(this.#supportedFeatures.brief && full && { full: [...full] }),
    };
    const paceRequest = JSON.stringify(request);
    if (paceRequest === this.#sentPaceRequest) return;
    this.#sentPaceRequest = paceRequest;
    this.#link?.send(request);
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

  #subscribe({ columns = false }: HelloMessage, hasAttributes: boolean): FeedRequest {
    const { topics, transports, namespace, filter } = this.#options;
    return {
      type: 'subscribe',
      topics: [...(hasAttributes ? ['attributes' as const] : []), ...topics],
      ...(transports !== undefined && { transports: [...transports] }),
      // `namespace` is omitted for `default`, because older backends do not know it.
      ...(namespace !== undefined && namespace !== DEFAULT_NAMESPACE && { namespace }),
      ...(filter !== undefined && { filter }),
      ...(columns && this.#listener.onSnapshotEvents !== undefined && { columns }),
      ...(this.#position !== undefined && { since: this.#position.seq, store: this.#position.store }),
    };
  }

  #connect(): void {
    const session = new FeedSession(this.#position, this.#sets);
    if (!this.#isRefused) this.#listener.onState({ kind: 'connecting', attempt: this.#attempt });
    // The listener could have closed or reconnected the feed in `onState`.
    if (this.#isClosed || this.#link !== undefined) return;
    this.#supportedFeatures = NO_FEATURES;
    this.#sentPaceRequest = INITIAL_PACE_REQUEST;
    const { url } = this.#address;
    this.#link = openRenewedLink(this.#address, this.#clock, {
      onOpen: () => {
        if (!this.#isRefused) this.#listener.onState({ kind: 'syncing' });
      },
      onMessage: (message) => this.#handleMessage(message, session),
      onEnd: (end) => {
        if (end.kind === 'lost') this.#address.failOverFrom?.(url);
        this.#scheduleRetry(end);
      },
    });
  }

  #handleMessage(message: Exclude<FeedMessage, { type: 'ping' | 'pong' | 'error' }>, session: FeedSession): void {
    if (message.type === 'stats') return this.#listener.onStats(message.stats, message.time);
    if (message.type === 'message' || message.type === 'missed') return this.#listener.onTransport?.(message);
    const delivery = session.accept(message);
    this.#position = session.position;
    if (delivery.kind === 'broken') {
      // After a protocol violation, earlier messages of the backend are not trusted either: the next connection
      // requests a snapshot.
      this.#position = undefined;
      return this.#link?.drop(delivery.reason);
    }
    if (message.type === 'hello') {
      this.#supportedFeatures = { pace: message.pace === true, brief: message.brief === true };
      this.#link?.send(this.#subscribe(message, session.hasAttributes));
      this.#sendPace();
      return this.#listener.onHello?.(message);
    }
    const link = this.#link;
    // The hello does not prove that the subscription was accepted: a filter, for example, is rejected after it. Any
    // later data does.
    if (this.#isRefused && delivery.kind !== 'nothing') {
      this.#isRefused = false;
      this.#listener.onState({ kind: 'syncing' });
    }
    if (delivery.kind === 'syncing') return this.#listener.onState({ kind: 'syncing' });
    if (delivery.kind === 'live') this.#attempt = 1;
    // Each call of the listener can close or reconnect the feed; then the remaining calls are skipped.
    if ('metadata' in delivery && delivery.rows !== undefined && this.#link === link) {
      this.#listener.onRows(delivery.rows, delivery.metadata);
    }
    if (delivery.kind === 'rows' && delivery.events !== undefined && this.#link === link) {
      this.#listener.onSnapshotEvents?.(delivery.events);
    }
    if (delivery.kind === 'live' && this.#link === link) this.#listener.onState({ kind: 'live' });
  }

  /**
   * Returns the delay before the next attempt, in milliseconds. The backends of a list are tried quickly, because one
   * of them is the leader or becomes it.
   */
  #retryDelayMs(): number {
    const { otherCount: others = 0 } = this.#address;
    const rounds = (this.#attempt - 1) / (others + 1);
    if (!Number.isInteger(rounds)) return backoffMs(0, this.#random(), NEXT_PAUSE);
    return backoffMs(rounds, this.#random(), others === 0 ? RECONNECT_BACKOFF : ROUND_PAUSE);
  }

  #scheduleRetry(end: LinkEnd): void {
    this.#link = undefined;
    this.#attempt += 1;
    this.#isRefused = end.kind === 'refused';
    const delayMs = this.#isRefused ? REFUSED_PAUSE_MS : this.#retryDelayMs();
    this.#retry = this.#clock.after(delayMs, () => this.#connect());
    this.#listener.onState(
      end.kind === 'refused'
        ? end
        : { kind: 'waiting', attempt: this.#attempt, retryAtMs: this.#clock.now() + delayMs, reason: end.reason },
    );
  }
}
