import { MonError } from '../../../shared/errors.ts';
import type { Clock } from '../ports.ts';

/** How long reads that are under way are let go on before they are cut off. */
const DRAIN_MS_MAX = 2000;
/** How long a read waits at most. */
const WAIT_MS_MAX = 5000;

/** Reads go on beside each other. What must not meet any waits for them, and they wait for it, both for a bounded time. */
export class ReadGate {
  readonly #clock: Pick<Clock, 'after'>;
  #reads = 0;
  /** Told when no read is under way. */
  #idle: (() => void) | undefined;
  #shut: Promise<void> | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Whether `enter` has to wait. */
  get isShut(): boolean {
    return this.#shut !== undefined;
  }

  /** Begins a read at once; disposing of it ends it. It must not be shut. */
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

  /** @throws MonError `unavailable` when it stays shut for too long */
  async enter(): Promise<Disposable> {
    while (this.#shut !== undefined) {
      if (await this.#isTooLong(this.#shut, WAIT_MS_MAX)) {
        throw new MonError('unavailable', 'the store is being opened again after its disk failed, try again later');
      }
    }
    return this.begin();
  }

  /** Runs `task`, one at a time, with no read beside it but those that have gone on for too long. */
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
