import type { InputEvent } from '../terminal/input-event.ts';

/**
 * Maximum number of input events that are stored while another backend is being opened. Opening takes as long as
 * reading a file.
 */
const TYPED_AHEAD_MAX = 1000;

/** Stores the keys that are typed while another backend is being opened, because they are meant for that backend. */
export class TypedAhead {
  #typed: InputEvent[] | undefined;

  /**
   * Stores an input event if another backend is being opened; events beyond `TYPED_AHEAD_MAX` are dropped.
   *
   * @returns false if no backend is being opened, so that the event must be handled now
   */
  buffer(event: InputEvent): boolean {
    if (this.#typed === undefined) return false;
    if (this.#typed.length < TYPED_AHEAD_MAX) this.#typed.push(event);
    return true;
  }

  forget(): void {
    if (this.#typed !== undefined) this.#typed.length = 0;
  }

  /**
   * Opens another backend, and stores keys until it is open.
   *
   * @returns the keys that were typed meanwhile. If opening fails they are dropped, because the current backend must
   *   not get them
   */
  async during(open: () => Promise<void>): Promise<readonly InputEvent[]> {
    const typed: InputEvent[] = [];
    this.#typed = typed;
    try {
      await open();
    } finally {
      this.#typed = undefined;
    }
    return typed;
  }
}
