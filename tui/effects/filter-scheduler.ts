import type { FrameClock } from './frame-scheduler.ts';

/** Maximum time in milliseconds for which a filter is evaluated before keys and frames are handled. */
const TIME_SLICE_MS = 8;

/** The state and the operations of a list whose filter is evaluated in chunks. */
interface FilteredList {
  readonly isFiltering: boolean;
  /** True if the first matches of the filter have not been found yet. */
  readonly rows: { readonly isFilterAwaited: boolean };
  /** Evaluates the next chunk of the filter. */
  readonly advanceFilters: (nowMs: number) => void;
}

interface FilterDependencies {
  readonly list: () => FilteredList;
  readonly clock: Pick<FrameClock, 'now'>;
  readonly paint: () => void;
}

/**
 * Evaluates a new filter a few milliseconds per turn of the event loop, so that keys and frames are handled in
 * between.
 */
export class FilterScheduler {
  readonly #dependencies: FilterDependencies;
  #isDue = false;

  constructor(dependencies: FilterDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Evaluates the filter before a frame is drawn, until its first matches are found or the time slice is over. The
   * first matches are usually found by then, so the frame shows them together with the typed key.
   */
  beforeFrame(nowMs: number): void {
    const { list } = this.#dependencies;
    this.#workUntil(nowMs + TIME_SLICE_MS, () => !list().rows.isFilterAwaited);
  }

  /**
   * Continues an unfinished evaluation in later turns of the event loop. A frame is drawn when the first matches are
   * found, and again when the evaluation is complete.
   */
  continueLater(): void {
    const { list, clock, paint } = this.#dependencies;
    if (this.#isDue || !list().isFiltering) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const { isFilterAwaited } = list().rows;
      const isEnough = (): boolean => !list().isFiltering || (isFilterAwaited && !list().rows.isFilterAwaited);
      if (this.#workUntil(clock.now() + TIME_SLICE_MS, isEnough)) paint();
      else this.continueLater();
    });
  }

  /**
   * Evaluates chunks until `isEnough` returns true or the time `untilMs` is reached.
   *
   * @returns true if `isEnough` returned true in time
   */
  #workUntil(untilMs: number, isEnough: () => boolean): boolean {
    const { list, clock } = this.#dependencies;
    while (!isEnough()) {
      if (clock.now() >= untilMs) return false;
      list().advanceFilters(clock.now());
    }
    return true;
  }
}
