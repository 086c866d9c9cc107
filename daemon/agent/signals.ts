const HEARD = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type Signal = (typeof HEARD)[number];

/** Queues the signals SIGTERM, SIGINT and SIGHUP of this process from now on, so that none of them ends the process. */
export class Signals {
  readonly #come: Signal[] = [];
  #wake: (() => void) | undefined;

  constructor() {
    for (const signal of HEARD) {
      process.on(signal, () => {
        this.#come.push(signal);
        this.#wake?.();
      });
    }
  }

  /** Removes and returns the oldest queued signal; waits for the next signal if the queue is empty. */
  async next(): Promise<Signal> {
    for (;;) {
      const signal = this.#come.shift();
      if (signal !== undefined) return signal;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
