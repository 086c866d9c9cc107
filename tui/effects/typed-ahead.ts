import type { InputEvent } from '../terminal/input-event.ts';

/** Keys that are kept while another backend is being opened, which takes as long as reading a file. */
const TYPED_AHEAD_MAX = 1000;

/** What is typed while something else is being opened: it is meant for that. */
export class TypedAhead {
  #typed: InputEvent[] | undefined;

  /** @returns whether it is kept for later */
  take(event: InputEvent): boolean {
    if (this.#typed === undefined) return false;
    if (this.#typed.length < TYPED_AHEAD_MAX) this.#typed.push(event);
    return true;
  }

  forget(): void {
    if (this.#typed !== undefined) this.#typed.length = 0;
  }

  /** @returns what was typed meanwhile; where it fails, nothing of that may reach the backend that it was not meant for */
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
