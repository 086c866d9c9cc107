const HEARD = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type Signal = (typeof HEARD)[number];

/** Collects the signals of this process from now on, so that none of them ends it. */
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

  /** Returns the oldest signal that was not returned before; waits for one if necessary. */
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
