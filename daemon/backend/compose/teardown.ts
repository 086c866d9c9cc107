import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';

/** Taking down one part for longer than this is said: whoever stops a backend waits for it. */
const LONG_MS = 1000;

/** What has to be taken down, the last first, each by its name: a stop that hangs or fails says where. */
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

  /** @returns `part`, which is taken down with the others */
  use<T extends Disposable | AsyncDisposable>(name: string, part: T): T {
    this.defer(name, () => (Symbol.asyncDispose in part ? part[Symbol.asyncDispose]() : part[Symbol.dispose]()));
    return part;
  }

  defer(name: string, work: () => PromiseLike<void> | void): void {
    this.#stack.defer(() => this.#takeDown(name, work));
  }

  /** @returns all of it, for somebody else to take down */
  move(): Teardown {
    return new Teardown({ clock: this.#clock, log: this.#log }, this.#stack.move());
  }

  /** @throws what a part threw, when all of them are down */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #takeDown(name: string, work: () => PromiseLike<void> | void): Promise<void> {
    const startMs = this.#clock.monotonic();
    try {
      await work();
    } catch (error) {
      this.#log.error({ part: name, error: errorMessage(error) }, 'part of the program could not be stopped');
      throw error;
    }
    const tookMs = Math.round(this.#clock.monotonic() - startMs);
    if (tookMs > LONG_MS) this.#log.warn({ part: name, duration_ms: tookMs }, 'part of the program was slow to stop');
    else this.#log.debug({ part: name, duration_ms: tookMs }, 'part of the program stopped');
  }
}
