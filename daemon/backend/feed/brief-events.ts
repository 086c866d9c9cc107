import type { EventBrief, EventRow, FeedBriefs, FeedRows } from '../../../shared/schemas/feed.ts';
import type { Change } from '../ports.ts';
import type { FeedReach } from './feed-reach.ts';

/**
 * Tracks the events that a feed consumer gets in brief: a few attributes instead of the whole row. It stores only the
 * keys of these events. The row is read from the registry when the consumer requests the event in full.
 */
export class BriefEvents {
  /** Keys of the events to send in full; undefined if all events are sent in full. */
  #full: ReadonlySet<string> | undefined;
  readonly #sentInBrief = new Set<string>();
  /** Keys of events that were sent in brief and that the consumer has since requested in full. */
  readonly #due = new Set<string>();

  /** True if frames for this consumer can differ from those of other consumers, because of events in brief. */
  get hasOwnFrames(): boolean {
    return this.#full !== undefined || this.#sentInBrief.size > 0;
  }

  /** True if the consumer has at least one event whose last row it got only in brief. */
  get hasEventsInBrief(): boolean {
    return this.#sentInBrief.size > 0;
  }

  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /** @param full keys of the events to send in full from now on; undefined to send all events in full */
  requestInFull(full: readonly string[] | undefined): void {
    this.#full = full && new Set(full);
    for (const key of full ?? this.#sentInBrief) if (this.#sentInBrief.has(key)) this.#due.add(key);
  }

  /** Yields a change for each event in `#due`. The event stays in `#sentInBrief` until its row was sent in full. */
  *takeDue(reach: FeedReach): Generator<Change, void, undefined> {
    const due = [...this.#due];
    this.#due.clear();
    for (const key of due) yield changeOf(key, reach);
  }

  /** Separates the events to send in brief from the other rows. A deleted event (`null`) stays with the other rows. */
  split({ events = {}, ...others }: FeedRows): { readonly rows: FeedRows; readonly brief?: FeedBriefs } {
    const full: Record<string, EventRow | null> = Object.create(null) as Record<string, EventRow | null>;
    const brief: Record<string, EventBrief> = Object.create(null) as Record<string, EventBrief>;
    let isAny = false;
    for (const [key, row] of Object.entries(events)) {
      if (row === null || this.#full?.has(key) !== false) {
        full[key] = row;
        this.#sentInBrief.delete(key);
      } else {
        brief[key] = briefOf(row);
        this.#sentInBrief.add(key);
        isAny = true;
      }
    }
    return { rows: { events: full, ...others }, ...(isAny && { brief: { events: brief } }) };
  }

  /** Clears the lists of events sent in brief, when the consumer starts over with a snapshot, which is sent in full. */
  reset(): void {
    this.#sentInBrief.clear();
    this.#due.clear();
  }
}

function briefOf({
  status,
  action,
  since,
  silenced_by,
  inhibited_by,
  acknowledged,
  escalations,
}: EventRow): EventBrief {
  return {
    status,
    action,
    since,
    silenced_by,
    ...(inhibited_by !== undefined && { inhibited_by }),
    ...(acknowledged !== undefined && { acknowledged }),
    ...(escalations !== undefined && { escalations }),
  };
}

/** Returns a change of the event with this key. The key begins with the namespace only if `isMany` is true. */
function changeOf(key: string, { hasManyNamespaces: isMany, only = '' }: FeedReach): Change {
  const [namespace = '', client = '', check = ''] = (isMany ? key : `${only}/${key}`).split('/');
  return ['event', namespace, client, check];
}
