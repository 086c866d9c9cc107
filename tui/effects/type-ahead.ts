import type { InputEvent } from '../terminal/input-event.ts';

/**
 * Maximum number of keys that are kept while another backend is being opened, which takes as long as reading a
 * file.
 */
const TYPED_AHEAD_MAX = 1000;

/** Keeps keys that are typed while another backend is being opened; they are meant for that backend. */
export class TypedAhead {
  #typed: InputEvent[] | undefined;

  /**
   * Keeps an event of the terminal.
   *
   * @returns true if it is kept for later
   */
  take(event: InputEvent): boolean {
    if (this.#typed === undefined) return false;
    if (this.#typed.length < TYPED_AHEAD_MAX) this.#typed.push(event);
    return true;
  }

  forget(): void {
    if (this.#typed !== undefined) this.#typed.length = 0;
  }

  /**
   * Opens another backend.
   *
   * @returns the keys that were typed meanwhile. If it fails they are dropped, because the current backend must
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
