import type { FeedRows } from '../../shared/schemas/feed.ts';

export const BUFFERED_TOPICS = ['events', 'silenced', 'clients'] as const;
export type BufferedTopic = (typeof BUFFERED_TOPICS)[number];

/**
 * Buffer for rows that arrive while the feed is paused. It contains only the newest row of each key, which limits the
 * memory that a long pause needs.
 */
export class BufferedRows {
  #rows: Record<BufferedTopic, Map<string, unknown>> = emptyTopics();
  #replace = false;

  /**
   * Adds rows to the buffer.
   *
   * @param replace true if the rows begin a snapshot; then all rows that are in the buffer are removed first
   * @returns the number of added rows; several rows with the same key are counted separately
   */
  add(rows: FeedRows, replace: boolean): number {
    if (replace) {
      this.#rows = emptyTopics();
      this.#replace = true;
    }
    let count = 0;
    for (const topic of BUFFERED_TOPICS) {
      for (const [key, row] of Object.entries(rows[topic] ?? {})) {
        this.#rows[topic].set(key, row);
        count += 1;
      }
    }
    return count;
  }

  drain(): { readonly rows: FeedRows; readonly replace: boolean } {
    const rows = Object.fromEntries(
      BUFFERED_TOPICS.map((topic) => [topic, Object.fromEntries(this.#rows[topic])]),
    ) as FeedRows;
    const replace = this.#replace;
    this.#rows = emptyTopics();
    this.#replace = false;
    return { rows, replace };
  }
}

function emptyTopics(): Record<BufferedTopic, Map<string, unknown>> {
  return { events: new Map(), silenced: new Map(), clients: new Map() };
}
