import type { EventRow } from '../../shared/schemas/feed.ts';
import type { ConsoleState } from './console-state.ts';

/**
 * `SETTLE_MS` is the time for which the cursor must stay on an event before the pane loads it. `AGAIN_MS` is the
 * minimum time between two requests for the same event.
 */
const SETTLE_MS = 150;
const AGAIN_MS = 2000;

/**
 * Decides when the pane below the list loads the event under the cursor. If the cursor only passes an event, it is not
 * loaded.
 */
export class PaneLoadTimer {
  #key: string | undefined;
  #restsSinceMs = 0;
  #requestedAtMs = 0;

  /**
   * Returns whether to load the event under the cursor now. It is called once per frame.
   *
   * @param peek the event that the pane shows, or whose data it has requested
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
