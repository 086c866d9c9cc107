const HEARD = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type Signal = (typeof HEARD)[number];

/** The signals that this process gets from now on, none of which ends it. */
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

  /** The first one that nobody has heard of yet. */
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
