import type { FrameClock } from './frame-scheduler.ts';

/** How long a new filter may be evaluated before keys and frames get their turn. */
const TURN_MS = 8;

/** A list that is being filtered. */
interface Filtered {
  readonly isFiltering: boolean;
  /** Whether its beginning is not known yet. */
  readonly rows: { readonly isFilterAwaited: boolean };
  /** Looks at some more of it. */
  readonly workFilters: (nowMs: number) => void;
}

interface FilterParts {
  readonly list: () => Filtered;
  readonly clock: Pick<FrameClock, 'now'>;
  readonly paint: () => void;
}

/** Evaluates a new filter a few milliseconds per turn of the event loop, so that keys and frames come between. */
export class FilterTurns {
  readonly #parts: FilterParts;
  #isDue = false;

  constructor(parts: FilterParts) {
    this.#parts = parts;
  }

  /** Mostly the beginning is done by then, and the frame shows the result together with the key that was typed. */
  beforeFrame(nowMs: number): void {
    const { list } = this.#parts;
    this.#workUntil(nowMs + TURN_MS, () => !list().rows.isFilterAwaited);
  }

  /** Goes on where something is left. Its beginning is drawn at once, the rest when it is all known. */
  goOn(): void {
    const { list, clock, paint } = this.#parts;
    if (this.#isDue || !list().isFiltering) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const { isFilterAwaited } = list().rows;
      const isEnough = (): boolean => !list().isFiltering || (isFilterAwaited && !list().rows.isFilterAwaited);
      if (this.#workUntil(clock.now() + TURN_MS, isEnough)) paint();
      else this.goOn();
    });
  }

  /** @returns whether it is as far as wanted */
  #workUntil(untilMs: number, isEnough: () => boolean): boolean {
    const { list, clock } = this.#parts;
    while (!isEnough()) {
      if (clock.now() >= untilMs) return false;
      list().workFilters(clock.now());
    }
    return true;
  }
}
