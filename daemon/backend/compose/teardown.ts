import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';

/** Duration of a part's teardown above which it is logged, because an operator waits for it. */
const LONG_MS = 1000;

/** A part that runs until its disposal. */
type RunningPart = Disposable | AsyncDisposable;

/** The lifecycle of a part: a row in a table of parts. */
export interface Lifecycle<Name extends string = string> {
  readonly name: Name;
  /** Starts the part. Disposing of the result stops it; without a result there is nothing to stop. */
  readonly start: () => RunningPart | void | Promise<RunningPart | void>;
}

interface TeardownParts<Name extends string> {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
  /** The names of the parts in the order in which they are registered; some may be left out. Default: any names. */
  readonly order?: readonly Name[] | undefined;
}

/** Closes the registered parts in reverse order, each by its name: a stop that hangs or fails says where. */
export class Teardown<Name extends string = string> implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #log: Log;
  /** The names that may still be registered; undefined: any names. */
  #upcoming: readonly Name[] | undefined;

  constructor({ clock, log, order }: TeardownParts<Name>, stack = new AsyncDisposableStack()) {
    this.#clock = clock;
    this.#log = log;
    this.#upcoming = order;
    this.#stack = stack;
  }

  /**
   * @returns `part`, which is closed with the others
   * @throws MonError `internal` if a part that comes later in the order is registered already
   */
  use<T extends RunningPart>(name: Name, part: T): T {
    this.defer(name, () => (Symbol.asyncDispose in part ? part[Symbol.asyncDispose]() : part[Symbol.dispose]()));
    return part;
  }

  /** @throws MonError as `use` */
  defer(name: Name, work: () => PromiseLike<void> | void): void {
    this.#advanceTo(name);
    this.#stack.defer(() => this.#takeDown(name, work));
  }

  /**
   * Starts the parts of a table in its order, and registers each.
   *
   * @throws MonError as `use`, or the error of a part; the parts before it stay registered
   */
  async start(table: readonly Lifecycle<Name>[]): Promise<void> {
    for (const { name, start } of table) {
      const starting = start();
      // Without a pause after a part that has started at once, so that no commit comes between it and the next one.
      const part = starting instanceof Promise ? await starting : starting;
      if (part !== undefined) this.use(name, part);
    }
  }

  /** @returns a teardown with all parts, for another owner */
  move(): Teardown<Name> {
    return new Teardown({ clock: this.#clock, log: this.#log, order: this.#upcoming }, this.#stack.move());
  }

  /** @throws the error of a part, after all parts were closed */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  #advanceTo(name: Name): void {
    if (this.#upcoming === undefined) return;
    const index = this.#upcoming.indexOf(name);
    if (index === -1) throw new MonError('internal', `internal error: the part ${name} starts out of order`);
    this.#upcoming = this.#upcoming.slice(index + 1);
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
