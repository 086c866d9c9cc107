import type { EventRow } from '../../shared/schemas/feed.ts';
import type { ConsoleState } from './console-state.ts';

/** Time that the cursor must rest on an event before the pane loads it, and the reload interval. */
const SETTLE_MS = 150;
const AGAIN_MS = 2000;

/**
 * Decides when the pane below the list loads the event under the cursor. Events that the cursor only passes are
 * not loaded.
 */
export class PanePeek {
  #key: string | undefined;
  #restsSinceMs = 0;
  #requestedAtMs = 0;

  /**
   * Returns whether to load the event now; called once per frame.
   *
   * @param peek the event that the pane shows or has requested
   * @param row the newest state of the event under the cursor
   */
  isDue(key: string, peek: ConsoleState['peek'], row: EventRow | undefined, nowMs: number): boolean {
    if (key !== this.#key) {
      this.#key = key;
      this.#restsSinceMs = nowMs;
    }
    if (nowMs - this.#restsSinceMs < SETTLE_MS) return false;
    if (peek?.target.key === key) {
      const isOld = peek.load.kind === 'loaded' && peek.load.row !== row;
      if (!isOld || nowMs - this.#requestedAtMs < AGAIN_MS) return false;
    }
    this.#requestedAtMs = nowMs;
    return true;
  }
}
