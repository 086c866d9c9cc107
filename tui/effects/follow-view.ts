import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { FeedRows } from '../../shared/schemas/feed.ts';
import type { FollowedView, ViewData } from '../model/view-data.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ResponseState } from '../state/answers.ts';
import type { Frames, ScreenView } from '../state/ports.ts';
import { isFrozenByPause } from '../state/upkeep.ts';
import { followFeed, type FollowedBackend, type FollowedFeed } from './follow-feed.ts';

/** The parts of the store that receive the rows of a view. */
type ViewSink = ResponseState & Frames & ScreenView & Pick<LiveData, 'loads'>;

/** Milliseconds between two updates of a view that the feed sends. */
const PACE_MS = 250;

/**
 * Follows the feed topic of the visible view, if the main feed does not contain that topic. It uses its own connection,
 * which is closed as soon as the view is hidden.
 */
export class ViewFeed {
  readonly #follow: (view: FollowedView) => FollowedTopic;
  readonly #loads: LiveData['loads'];
  #topic: FollowedTopic | undefined;
  #isBackendLive = false;

  constructor(backend: FollowedBackend, store: ViewSink, clock: FeedClock, random = Math.random) {
    this.#loads = store.loads;
    this.#follow = (view) => new FollowedTopic(view, backend, store, clock, random);
  }

  /**
   * Starts to follow the feed of the visible view, unless it is followed already, and shows rows that have arrived.
   *
   * @param view the visible view; `undefined` if it has no topic
   * @param isBackendLive true if the main feed is live. When the main feed recovers, this feed reconnects at once
   */
  followVisibleView(view: FollowedView | undefined, isBackendLive: boolean): void {
    const isBack = isBackendLive && !this.#isBackendLive;
    this.#isBackendLive = isBackendLive;
    if (this.#topic?.view !== view || (view !== undefined && !this.#loads.isFollowed(view))) {
      this.close();
      if (view !== undefined && this.#loads.isFollowed(view)) this.#topic = this.#follow(view);
    } else if (isBack) {
      this.#topic?.retry();
    }
    this.#topic?.show();
  }

  close(): void {
    this.#topic?.close();
    this.#topic = undefined;
  }
}

/** The feed of one view, with the rows that it has received. */
class FollowedTopic {
  readonly view: FollowedView;
  readonly #store: ViewSink;
  readonly #feed: FollowedFeed;
  readonly #rows = new Map<string, object>();
  #isLive = false;
  /** True if rows have arrived that are not shown yet. */
  #hasUnshownRows = false;

  constructor(view: FollowedView, backend: FollowedBackend, store: ViewSink, clock: FeedClock, random: () => number) {
    this.view = view;
    this.#store = store;
    this.#feed = followFeed(
      { ...backend, topics: [view] },
      {
        connectionChanged: (connection) => {
          if (connection.kind === 'live') return this.#handleLive();
          if (connection.kind === 'waiting') this.#handleLost(connection.reason);
          if (connection.kind === 'refused') this.#handleRefusal(connection.code, connection.message);
        },
        rowsArrived: (rows, { replace }) => this.#applyRows(rows, replace),
        greeted: () => undefined,
        statsArrived: () => undefined,
      },
      clock,
      random,
    );
    this.#feed.setPace({ ms: PACE_MS });
  }

  /** Shows new rows, unless the lists are paused. */
  show(): void {
    const { answers, loads } = this.#store;
    if (!this.#hasUnshownRows || !this.#isLive || isFrozenByPause(this.#store, loads.loadOf(this.view))) return;
    this.#hasUnshownRows = false;
    // The cast is safe, because feed frames are validated when they arrive.
    answers.viewLoaded(this.view, [...this.#rows.values()] as unknown as ViewData[FollowedView]);
  }

  /** Reconnects at once instead of waiting for the next attempt, unless the feed is live. */
  retry(): void {
    if (!this.#isLive) this.#feed.reconnect();
  }

  close(): void {
    this.#feed.close();
  }

  #applyRows(rows: FeedRows, replace: boolean): void {
    if (replace) this.#rows.clear();
    for (const [key, row] of Object.entries(rows[this.view] ?? {})) {
      if (row === null) this.#rows.delete(key);
      else this.#rows.set(key, row);
    }
    this.#hasUnshownRows = true;
    this.show();
  }

  #handleLive(): void {
    this.#isLive = true;
    this.#hasUnshownRows = true;
    this.show();
  }

  #handleLost(reason: string): void {
    if (this.#isLive) {
      // The feed was live until now, so the rows are still up to date, and the current time is recorded as their age.
      this.#hasUnshownRows = true;
      this.show();
    }
    this.#isLive = false;
    this.#store.answers.viewFailed(this.view, reason);
  }

  /**
   * Handles the rejection of the feed by the backend. The code `invalid` means that the backend is too old for this
   * topic, so the data of the view is requested every two seconds instead.
   */
  #handleRefusal(code: string, message: string): void {
    this.#isLive = false;
    if (code !== 'invalid') return this.#store.answers.viewFailed(this.view, message);
    this.#store.loads.cannotFollow();
    this.#store.requestFrame('rows');
  }
}
