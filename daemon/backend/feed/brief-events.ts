import type { EventBrief, EventRow, FeedBriefs, FeedRows } from '../../../shared/schemas/feed.ts';
import type { Change } from '../ports.ts';
import type { FeedReach } from './feed-reach.ts';

/**
 * Tracks the events that a consumer wants in brief. For events that were sent in brief only the keys are kept, once
 * each: the row is read when it is requested in full.
 */
export class BriefEvents {
  /** Undefined: all are sent in full. */
  #full: ReadonlySet<string> | undefined;
  readonly #sentInBrief = new Set<string>();
  /** The events among them that are requested in full by now. */
  readonly #due = new Set<string>();

  /** True if frames for this consumer cannot be shared with others. */
  get isInUse(): boolean {
    return this.#full !== undefined || this.#sentInBrief.size > 0;
  }

  /** True if the consumer got rows only in brief. */
  get owes(): boolean {
    return this.#sentInBrief.size > 0;
  }

  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /** @param full keys of the events to be sent in full from now on; undefined: all */
  want(full: readonly string[] | undefined): void {
    this.#full = full && new Set(full);
    for (const key of full ?? this.#sentInBrief) if (this.#sentInBrief.has(key)) this.#due.add(key);
  }

  /** Yields the due events as if they had changed just now. They stay pending until their row was sent. */
  *takeDue(reach: FeedReach): Generator<Change, void, undefined> {
    const due = [...this.#due];
    this.#due.clear();
    for (const key of due) yield changeOf(key, reach);
  }

  /** Separates the rows to be sent in brief. Removed rows are sent in full. */
  split({ events = {}, ...others }: FeedRows): { readonly rows: FeedRows; readonly brief?: FeedBriefs } {
    const full: Record<string, EventRow | null> = Object.create(null) as Record<string, EventRow | null>;
    const brief: Record<string, EventBrief> = Object.create(null) as Record<string, EventBrief>;
    let isAny = false;
    for (const [key, row] of Object.entries(events)) {
      if (row === null || this.#full?.has(key) !== false) {
        full[key] = row;
        this.#sentInBrief.delete(key);
      } else {
        const { status, action, since, silenced_by, inhibited_by } = row;
        brief[key] = { status, action, since, silenced_by, ...(inhibited_by !== undefined && { inhibited_by }) };
        this.#sentInBrief.add(key);
        isAny = true;
      }
    }
    return { rows: { events: full, ...others }, ...(isAny && { brief: { events: brief } }) };
  }

  /** Resets the state: the consumer starts over and gets everything in full. */
  forget(): void {
    this.#sentInBrief.clear();
    this.#due.clear();
  }
}

/** Returns the change of the event with this key. For a single namespace the keys do not contain it. */
function changeOf(key: string, { isMany, only = '' }: FeedReach): Change {
  const [namespace = '', client = '', check = ''] = (isMany ? key : `${only}/${key}`).split('/');
  return ['event', namespace, client, check];
}
