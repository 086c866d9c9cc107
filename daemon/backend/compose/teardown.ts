import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';

/** Duration of a part's teardown above which it is logged, because an operator waits for it. */
const LONG_MS = 1000;

/** Closes the registered parts in reverse order, each by its name: a stop that hangs or fails says where. */
export class Teardown implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #log: Log;

  constructor(
    parts: { readonly clock: Pick<Clock, 'monotonic'>; readonly log: Log },
    stack = new AsyncDisposableStack(),
  ) {
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#stack = stack;
  }

  /** @returns `part`, which is closed with the others */
  use<T extends Disposable | AsyncDisposable>(name: string, part: T): T {
    this.defer(name, () => (Symbol.asyncDispose in part ? part[Symbol.asyncDispose]() : part[Symbol.dispose]()));
    return part;
  }

  defer(name: string, work: () => PromiseLike<void> | void): void {
    this.#stack.defer(() => this.#takeDown(name, work));
  }

  /** @returns a teardown with all parts, for another owner */
  move(): Teardown {
    return new Teardown({ clock: this.#clock, log: this.#log }, this.#stack.move());
  }

  /** @throws the error of a part, after all parts were closed */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #takeDown(name: string, work: () => PromiseLike<void> | void): Promise<void> {
    const startMs = this.#clock.monotonic();
    try {
      await work();
    } catch (error) {
      this.#log.error({ part: name, error: errorMessage(error) }, 'component could not be stopped');
      throw error;
    }
    const tookMs = Math.round(this.#clock.monotonic() - startMs);
    if (tookMs > LONG_MS) this.#log.warn({ part: name, duration_ms: tookMs }, 'component was slow to stop');
    else this.#log.debug({ part: name, duration_ms: tookMs }, 'component stopped as part of the shutdown');
  }
}
