import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { FeedRows } from '../../shared/schemas/feed.ts';
import type { FollowedView, ViewData } from '../model/view-data.ts';
import type { Known } from '../model/known.ts';
import type { Answered } from '../state/answers.ts';
import type { Frames, Shown } from '../state/ports.ts';
import { standsStill } from '../state/upkeep.ts';
import { followFeed, type FollowedBackend, type FollowedFeed } from './follow-feed.ts';

/** Where what is heard goes. */
type ViewSink = Answered & Frames & Shown & Pick<Known, 'loads'>;

/** How often the rows of a view may be others: a list that is read. */
const PACE_MS = 250;

/**
 * Follows the feed of the list that is looked at, where it is one that nobody has open all the time: on a connection of its
 * own, which ends as soon as nobody looks.
 */
export class ViewFeed {
  readonly #follow: (view: FollowedView) => FollowedTopic;
  readonly #loads: Known['loads'];
  #topic: FollowedTopic | undefined;
  #isBackendLive = false;

  constructor(backend: FollowedBackend, store: ViewSink, clock: FeedClock, chance = Math.random) {
    this.#loads = store.loads;
    this.#follow = (view) => new FollowedTopic(view, backend, store, clock, chance);
  }

  /**
   * @param view what is looked at now; undefined: nothing of the kind
   * @param isBackendLive whether the feed of all the other lists is live: once it is again, so can be this one
   */
  look(view: FollowedView | undefined, isBackendLive: boolean): void {
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

/** The rows of one view as its topic tells them. */
class FollowedTopic {
  readonly view: FollowedView;
  readonly #store: ViewSink;
  readonly #feed: FollowedFeed;
  readonly #rows = new Map<string, object>();
  #isLive = false;
  /** Whether there is something that is not shown yet. */
  #isNew = false;

  constructor(view: FollowedView, backend: FollowedBackend, store: ViewSink, clock: FeedClock, chance: () => number) {
    this.view = view;
    this.#store = store;
    this.#feed = followFeed(
      { ...backend, topics: [view] },
      {
        connectionChanged: (connection) => {
          if (connection.kind === 'live') return this.#live();
          if (connection.kind === 'waiting') this.#lost(connection.reason);
          if (connection.kind === 'refused') this.#refused(connection.code, connection.message);
        },
        rowsArrived: (rows, { replace }) => this.#take(rows, replace),
        greeted: () => undefined,
        statsArrived: () => undefined,
      },
      clock,
      chance,
    );
    this.#feed.setPace({ ms: PACE_MS });
  }

  /** Shows what has come, unless the lists stand still. */
  show(): void {
    const { answers, loads } = this.#store;
    if (!this.#isNew || !this.#isLive || standsStill(this.#store, loads.of(this.view))) return;
    this.#isNew = false;
    // What the frames hold was looked at as they came.
    answers.viewLoaded(this.view, [...this.#rows.values()] as unknown as ViewData[FollowedView]);
  }

  /** Connects at once where it waits to. */
  retry(): void {
    if (!this.#isLive) this.#feed.reconnect();
  }

  close(): void {
    this.#feed.close();
  }

  #take(rows: FeedRows, replace: boolean): void {
    if (replace) this.#rows.clear();
    for (const [key, row] of Object.entries(rows[this.view] ?? {})) {
      if (row === null) this.#rows.delete(key);
      else this.#rows.set(key, row);
    }
    this.#isNew = true;
    this.show();
  }

  #live(): void {
    this.#isLive = true;
    this.#isNew = true;
    this.show();
  }

  #lost(reason: string): void {
    if (this.#isLive) {
      // It was so until now.
      this.#isNew = true;
      this.show();
    }
    this.#isLive = false;
    this.#store.answers.viewFailed(this.view, reason);
  }

  /** A backend of before has no such topic: it is asked every two seconds. */
  #refused(code: string, message: string): void {
    this.#isLive = false;
    if (code !== 'invalid') return this.#store.answers.viewFailed(this.view, message);
    this.#store.loads.cannotFollow();
    this.#store.touch('rows');
  }
}
