import { REPLAY_WINDOW_SECONDS } from '../../../shared/domain/chat/freshness.ts';
import { BusyError } from '../../../shared/errors.ts';
import type { Clock } from '../ports.ts';

/** Maximum number of callbacks that are handled at once. */
const CALLBACKS_AT_ONCE_MAX = 20;
/** Maximum number of clicks in a minute at one URL. */
const CLICKS_PER_MINUTE_MAX = 60;
/** Maximum number of clicks whose ids are remembered. */
const REMEMBERED_MAX = 10_000;

const MINUTE_MS = 60_000;

/** Time for which the id of a click is remembered: a timestamp may be early or late by the replay window. */
const REMEMBERED_MS = 2 * REPLAY_WINDOW_SECONDS * 1000;

/** Limits the number of callbacks, and remembers the clicks that were handled. */
export class ClickLimits {
  readonly #clock: Pick<Clock, 'now'>;
  #running = 0;
  /** Number of clicks in the current minute, by URL. Only clicks that are authenticated count. */
  readonly #minutes = new Map<string, { readonly sinceMs: number; count: number }>();
  /** Times at which clicks were handled, by id, in the order of the times. */
  readonly #handled = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /**
   * Begins to handle a callback; the caller disposes of it at the end.
   *
   * @throws MonError `unavailable` if too many callbacks are being handled
   */
  begin(): Disposable {
    if (this.#running >= CALLBACKS_AT_ONCE_MAX)
      throw new BusyError('too many callbacks at once: try again in a second');
    this.#running++;
    return { [Symbol.dispose]: () => void this.#running-- };
  }

  /** @throws MonError `unavailable` if there were too many clicks at this URL in the last minute */
  countClick(hook: string): void {
    const nowMs = this.#clock.now();
    for (const [other, { sinceMs }] of this.#minutes) {
      if (nowMs - sinceMs >= MINUTE_MS || nowMs < sinceMs) this.#minutes.delete(other);
    }
    const minute = this.#minutes.get(hook) ?? { sinceMs: nowMs, count: 0 };
    if (minute.count >= CLICKS_PER_MINUTE_MAX) throw new BusyError('too many clicks: try again in a minute');
    minute.count++;
    this.#minutes.set(hook, minute);
  }

  /**
   * Records that a click is handled.
   *
   * @param id undefined if the service gives clicks no id; then nothing is recorded
   * @returns false if the click was handled before
   * @throws MonError `unavailable` if too many clicks are remembered
   */
  remember(id: string | undefined): boolean {
    if (id === undefined) return true;
    const nowMs = this.#clock.now();
    for (const [other, atMs] of this.#handled) {
      if (nowMs - atMs < REMEMBERED_MS) break;
      this.#handled.delete(other);
    }
    if (this.#handled.has(id)) return false;
    if (this.#handled.size >= REMEMBERED_MAX) throw new BusyError('too many clicks: try again in a few minutes');
    this.#handled.set(id, nowMs);
    return true;
  }

  /** Forgets a click that could not be handled, so that the service can send it again. */
  forget(id: string | undefined): void {
    if (id !== undefined) this.#handled.delete(id);
  }
}
