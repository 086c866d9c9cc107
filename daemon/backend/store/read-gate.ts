import { MonError } from '../../../shared/errors.ts';
import type { Clock } from '../ports.ts';

/**
 * Maximum time that an exclusive task waits for the reads in progress, in milliseconds. After that time it runs
 * although reads are still in progress.
 */
const DRAIN_MS_MAX = 2000;
/** Maximum time that a new read waits for an exclusive task, in milliseconds. */
const WAIT_MS_MAX = 5000;

/**
 * Lets reads run concurrently, and runs an exclusive task, such as the reopening of the store, without reads. The task
 * waits for the reads in progress, and new reads wait for the task, both for a limited time.
 */
export class ReadGate {
  readonly #clock: Pick<Clock, 'after'>;
  #reads = 0;
  /** Callback for the end of the last read in progress; undefined if no task waits for it. */
  #idle: (() => void) | undefined;
  #shut: Promise<void> | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** True if an exclusive task runs or waits to run, so that a new read has to wait. */
  get isShut(): boolean {
    return this.#shut !== undefined;
  }

  /** Begins a read without waiting; disposal of the returned object ends the read. The gate must not be shut. */
  begin(): Disposable {
    this.#reads++;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#reads--;
        if (this.#reads === 0) this.#idle?.();
      },
    };
  }

  /**
   * Begins a read, after waiting for the exclusive task if there is one.
   *
   * @throws MonError `unavailable` if the exclusive task takes longer than `WAIT_MS_MAX`
   */
  async enter(): Promise<Disposable> {
    while (this.#shut !== undefined) {
      if (await this.#isTooLong(this.#shut, WAIT_MS_MAX)) {
        throw new MonError('unavailable', 'the store is being reopened after a disk failure: try again later');
      }
    }
    return this.begin();
  }

  /**
   * Runs an exclusive task without concurrent reads, except reads that took longer than `DRAIN_MS_MAX` to end. The
   * caller must not start a second task before the first ends.
   */
  async shut(task: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#shut = promise;
    try {
      if (this.#reads > 0) {
        const idle = new Promise<void>((done) => (this.#idle = done));
        await this.#isTooLong(idle, DRAIN_MS_MAX);
        this.#idle = undefined;
      }
      await task();
    } finally {
      this.#shut = undefined;
      resolve();
    }
  }

  async #isTooLong(event: Promise<void>, limitMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = this.#clock.after(limitMs, () => resolve(true));
    void event.then(() => resolve(false));
    try {
      return await promise;
    } finally {
      timer[Symbol.dispose]();
    }
  }
}
