import { backoffMs } from '../domain/backoff.ts';
import type { FeedRequest, FeedTopic } from '../schemas/feed-request.ts';
import type { EventRow, FeedMessage, FeedRows, FeedStats } from '../schemas/feed.ts';
import { DEFAULT_NAMESPACE } from '../schemas/namespace.ts';
import { backendAddress } from './local-access.ts';
import type { BackendAddress, CredentialsEnv } from './backend-address.ts';
import { systemFeedClock, type FeedClock } from './feed-clock.ts';
import { openLink, type Link, type LinkEnd } from './feed-link.ts';
import { FeedSession, type FeedPosition, type RowsAbout } from './feed-session.ts';

/** `attempt` counts from 1 and starts over once the feed was live. */
export type FeedState =
  | { readonly kind: 'connecting'; readonly attempt: number }
  /** Connected; a snapshot or what changed meanwhile is arriving. */
  | { readonly kind: 'syncing' }
  | { readonly kind: 'live' }
  /** Attempt number `attempt` follows at `retryAtMs`, on the clock of the options. */
  | { readonly kind: 'waiting'; readonly attempt: number; readonly retryAtMs: number; readonly reason: string }
  /**
   * Trying again alone will not help: `unauthenticated`, `forbidden`, `not_found`, `version`, `invalid` (the filter, or a
   * namespace where there are none). It is tried again every 30 s all the same, without leaving this state until that
   * succeeds.
   */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

type Hello = Extract<FeedMessage, { type: 'hello' }>;

/** What a feed has to say of a transport. */
export type TransportMessage = Extract<FeedMessage, { type: 'message' | 'missed' }>;

/** Called in the order in which things happen, never from within `openFeed`. What a listener throws is not caught. */
export interface FeedListener {
  onState(state: FeedState): void;
  onHello?(hello: Hello): void;
  /**
   * Rows by key, `null` for gone ones. With `about.replace` a snapshot begins and everything held before counts no
   * more. The frames of a snapshot are passed on as they come, so a first screen fills while the rest travels; who
   * wants no half picture waits for the state `live`.
   */
  onRows(rows: FeedRows, about: RowsAbout): void;
  /**
   * Events of a snapshot, after `onRows` with the rest of their frame. A backend that can sends them in columns to who has
   * this, which is quicker to read; all others come by `onRows`.
   */
  onSnapshotEvents?(events: readonly EventRow[]): void;
  onStats(stats: FeedStats, timeMs: number): void;
  /** A piece of what was asked for with `transports`, or how many of them were lost on the way. */
  onTransport?(message: TransportMessage): void;
}

export interface FeedOptions {
  readonly backend: string;
  /** May be empty beside `transports`. */
  readonly topics: readonly FeedTopic[];
  /** What handlers publish under these names. Live only: what happens while there is no connection never comes. */
  readonly transports?: readonly string[];
  /** A name, or `*`: all that the credentials may see. Default: `default`, also of backends that know no others. */
  readonly namespace?: string;
  /** Of events only, in the search language. Default: all. */
  readonly filter?: string;
  /** Sent with the handshake, over those of the credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where credentials are looked for that the URL does not hold. Default: the process environment. */
  readonly env?: CredentialsEnv;
  readonly clock?: FeedClock;
  /** 0 to below 1, for the spread of the pauses. */
  readonly chance?: () => number;
}

/** How much of what changes is wanted. */
export interface FeedPace {
  /** The least time between two frames of changes, in milliseconds; 0, as it begins: as often as there are any. */
  readonly ms: number;
  /**
   * The keys of at most `FULL_EVENTS_MAX` events to send in full, the others in brief (`about.brief`); absent, as it
   * begins: all are. What came in brief comes whole as soon as it is wanted.
   */
  readonly full?: readonly string[] | undefined;
}

export interface Feed {
  /** Drops the connection, if any, and tries now. What was seen is kept: it goes on where it was. */
  reconnect(): void;
  /** The same, but forgets what was seen: a whole snapshot follows. */
  resync(): void;
  /** Asks for as much as is wanted, which outlives connections. A backend that cannot do it goes on as before. */
  setPace(pace: FeedPace): void;
  /** The end: no call of the listener follows. */
  close(): void;
  /** Up to where everything is known; 0 while a snapshot is due. */
  readonly seq: number;
}

const PAUSE = { minMs: 500, maxMs: 30_000 };
/** Of a list of backends: between one and the next of them, and when none of them could be reached. */
const NEXT_PAUSE = { minMs: 100, maxMs: 500 };
const ROUND_PAUSE = { minMs: 500, maxMs: 2000 };
const REFUSED_PAUSE_MS = 30_000;

const TAKES_NOTHING = { pace: false, brief: false };
/** What nobody has to say. */
const AS_IT_BEGINS = JSON.stringify({ type: 'pace', ms: 0 } satisfies FeedRequest);

/**
 * Follows the feed of a backend, for as long as it takes: reconnects after every loss and resumes by sequence number,
 * so that the rows that were passed on add up to the state of the backend.
 *
 * @throws MonError `invalid` when `backend` is no URL
 */
export function openFeed(options: FeedOptions, listener: FeedListener): Feed {
  return new ReconnectingFeed(options, listener);
}

class ReconnectingFeed implements Feed {
  readonly #listener: FeedListener;
  readonly #options: FeedOptions;
  readonly #address: BackendAddress;
  readonly #clock: FeedClock;
  readonly #chance: () => number;
  #position: FeedPosition | undefined;
  #attempt = 1;
  #isRefused = false;
  #isClosed = false;
  #pace: FeedPace = { ms: 0 };
  /** What the backend at the other end of the link takes. */
  #takes: { readonly pace: boolean; readonly brief: boolean } = TAKES_NOTHING;
  /** As it was told the pace last. */
  #saidPace = '';
  #link: Link | undefined;
  #retry: Disposable | undefined;

  constructor(options: FeedOptions, listener: FeedListener) {
    this.#address = backendAddress(options.backend, options);
    this.#options = options;
    this.#listener = listener;
    this.#clock = options.clock ?? systemFeedClock;
    this.#chance = options.chance ?? Math.random;
    // Later, so that the caller holds the feed when its listener is called for the first time.
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
    // Somebody changed something and wants to see it: the refusal is open again.
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

  /** Unless it is said already. */
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
      // Backends of before know no such attribute.
      ...(namespace !== undefined && namespace !== DEFAULT_NAMESPACE && { namespace }),
      ...(filter !== undefined && { filter }),
      ...(columns && this.#listener.onSnapshotEvents !== undefined && { columns }),
      ...(this.#position !== undefined && { since: this.#position.seq, store: this.#position.store }),
    };
  }

  #connect(): void {
    const session = new FeedSession(this.#position);
    if (!this.#isRefused) this.#listener.onState({ kind: 'connecting', attempt: this.#attempt });
    // The listener may have closed or reconnected in that call.
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
        if (end.kind === 'lost') this.#address.turnFrom?.(url);
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
      // What such a backend said before cannot be relied upon either.
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
    // Only rows prove that we are welcome: a filter, say, is refused after the hello.
    if (this.#isRefused && delivery.kind !== 'nothing') {
      this.#isRefused = false;
      this.#listener.onState({ kind: 'syncing' });
    }
    if (delivery.kind === 'syncing') return this.#listener.onState({ kind: 'syncing' });
    if (delivery.kind === 'live') this.#attempt = 1;
    // Each call of the listener may be the one that closes the feed or starts it over.
    if ('about' in delivery && delivery.rows !== undefined && this.#link === link) {
      this.#listener.onRows(delivery.rows, delivery.about);
    }
    if (delivery.kind === 'rows' && delivery.events !== undefined && this.#link === link) {
      this.#listener.onSnapshotEvents?.(delivery.events);
    }
    if (delivery.kind === 'live' && this.#link === link) this.#listener.onState({ kind: 'live' });
  }

  /** A list of backends is gone through quickly: one of them has taken over, or is about to. */
  #pauseMs(): number {
    const { others = 0 } = this.#address;
    const rounds = (this.#attempt - 1) / (others + 1);
    if (!Number.isInteger(rounds)) return backoffMs(0, this.#chance(), NEXT_PAUSE);
    return backoffMs(rounds, this.#chance(), others === 0 ? PAUSE : ROUND_PAUSE);
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
