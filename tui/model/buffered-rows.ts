import type { FeedRows } from '../../shared/schemas/feed.ts';

export const TOPICS = ['events', 'silenced', 'clients'] as const;
export type BufferedTopic = (typeof TOPICS)[number];

/**
 * Rows that arrive while the feed is paused. Only the newest row of each key is kept, which limits the memory
 * of a long pause.
 */
export class BufferedRows {
  #rows: Record<BufferedTopic, Map<string, unknown>> = emptyTopics();
  #replace = false;

  /**
   * Keeps rows.
   *
   * @returns the number of rows; several for one key count each
   */
  hold(rows: FeedRows, replace: boolean): number {
    if (replace) {
      this.#rows = emptyTopics();
      this.#replace = true;
    }
    let count = 0;
    for (const topic of TOPICS) {
      for (const [key, row] of Object.entries(rows[topic] ?? {})) {
        this.#rows[topic].set(key, row);
        count += 1;
      }
    }
    return count;
  }

  take(): { readonly rows: FeedRows; readonly replace: boolean } {
    const rows = Object.fromEntries(TOPICS.map((topic) => [topic, Object.fromEntries(this.#rows[topic])])) as FeedRows;
    const replace = this.#replace;
    this.#rows = emptyTopics();
    this.#replace = false;
    return { rows, replace };
  }
}

function emptyTopics(): Record<BufferedTopic, Map<string, unknown>> {
  return { events: new Map(), silenced: new Map(), clients: new Map() };
}
