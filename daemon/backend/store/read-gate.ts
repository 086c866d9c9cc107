import { MonError } from '../../../shared/errors.ts';
import type { Clock } from '../ports.ts';

/** Time that reads in progress may continue before they are cut off. */
const DRAIN_MS_MAX = 2000;
/** Maximum time that a read waits. */
const WAIT_MS_MAX = 5000;

/**
 * Lets reads run concurrently. A task that must run without reads waits for them, and new reads wait for the task, both
 * for a bounded time.
 */
export class ReadGate {
  readonly #clock: Pick<Clock, 'after'>;
  #reads = 0;
  /** Called when no read is in progress. */
  #idle: (() => void) | undefined;
  #shut: Promise<void> | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** True if `enter` has to wait. */
  get isShut(): boolean {
    return this.#shut !== undefined;
  }

  /** Begins a read at once; its disposal ends it. The gate must not be shut. */
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

  /** @throws MonError `unavailable` if the gate stays shut for too long */
  async enter(): Promise<Disposable> {
    while (this.#shut !== undefined) {
      if (await this.#isTooLong(this.#shut, WAIT_MS_MAX)) {
        throw new MonError('unavailable', 'the store is being reopened after a disk failure: try again later');
      }
    }
    return this.begin();
  }

  /** Runs `task`, one at a time, without concurrent reads except those that exceeded their time. */
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
