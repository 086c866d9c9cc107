const HANDLED_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type Signal = (typeof HANDLED_SIGNALS)[number];

/** Queues the signals SIGTERM, SIGINT and SIGHUP of this process from now on, so that none of them ends the process. */
export class Signals {
  readonly #queue: Signal[] = [];
  #wake: (() => void) | undefined;

  constructor() {
    for (const signal of HANDLED_SIGNALS) {
      process.on(signal, () => {
        this.#queue.push(signal);
        this.#wake?.();
      });
    }
  }

  /** Removes and returns the oldest queued signal; waits for the next signal if the queue is empty. */
  async next(): Promise<Signal> {
    for (;;) {
      const signal = this.#queue.shift();
      if (signal !== undefined) return signal;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
