import type { EventBrief, EventRow, FeedBriefs, FeedRows } from '../../../shared/schemas/feed.ts';
import type { Change } from '../ports.ts';
import type { FeedReach } from './feed-reach.ts';

/**
 * The events that a consumer wants in brief. Of what it was told in brief only the keys are kept, each once however often it
 * changed: the row is read when it is wanted whole.
 */
export class BriefEvents {
  /** Undefined: all are wanted whole. */
  #full: ReadonlySet<string> | undefined;
  readonly #owed = new Set<string>();
  /** Of those the ones that are wanted by now. */
  readonly #due = new Set<string>();

  /** Whether a frame for this consumer is none for others. */
  get isInUse(): boolean {
    return this.#full !== undefined || this.#owed.size > 0;
  }

  /** Whether the consumer lacks rows that it was told of. */
  get owes(): boolean {
    return this.#owed.size > 0;
  }

  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /** @param whole keys of the events that are wanted whole from now on; undefined: all */
  want(full: readonly string[] | undefined): void {
    this.#full = full && new Set(full);
    for (const key of full ?? this.#owed) if (this.#owed.has(key)) this.#due.add(key);
  }

  /** What is due, as if it had changed just now. It is owed until its row has left. */
  *takeDue(reach: FeedReach): Generator<Change, void, undefined> {
    const due = [...this.#due];
    this.#due.clear();
    for (const key of due) yield changeOf(key, reach);
  }

  /** Takes out of the rows what is to come in brief. What is gone is gone in full. */
  split({ events = {}, ...others }: FeedRows): { readonly rows: FeedRows; readonly brief?: FeedBriefs } {
    const full: Record<string, EventRow | null> = Object.create(null) as Record<string, EventRow | null>;
    const brief: Record<string, EventBrief> = Object.create(null) as Record<string, EventBrief>;
    let isAny = false;
    for (const [key, row] of Object.entries(events)) {
      if (row === null || this.#full?.has(key) !== false) {
        full[key] = row;
        this.#owed.delete(key);
      } else {
        const { status, action, since, silenced_by, inhibited_by } = row;
        brief[key] = { status, action, since, silenced_by, ...(inhibited_by !== undefined && { inhibited_by }) };
        this.#owed.add(key);
        isAny = true;
      }
    }
    return { rows: { events: full, ...others }, ...(isAny && { brief: { events: brief } }) };
  }

  /** The consumer starts over: it gets everything whole. */
  forget(): void {
    this.#owed.clear();
    this.#due.clear();
  }
}

/** A change of the event of this key. Where one namespace is heard of, keys do not name it. */
function changeOf(key: string, { isMany, only = '' }: FeedReach): Change {
  const [namespace = '', client = '', check = ''] = (isMany ? key : `${only}/${key}`).split('/');
  return ['event', namespace, client, check];
}
