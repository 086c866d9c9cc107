import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';

/** Duration, in milliseconds, above which the stop of a component is logged as slow. */
const LONG_MS = 1000;

/** A component that runs until it is disposed of. */
type RunningPart = Disposable | AsyncDisposable;

/** The name of a component, and the function that starts it. */
export interface Lifecycle<Name extends string = string> {
  readonly name: Name;
  /** Starts the component. Returns the object whose disposal stops it; undefined if nothing needs to be stopped. */
  readonly start: () => RunningPart | void | Promise<RunningPart | void>;
}

interface TeardownDependencies<Name extends string> {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
  /**
   * The allowed names, in the order in which components must be registered; undefined to allow any names in any order.
   */
  readonly order?: readonly Name[] | undefined;
}

/** Stops the registered components in reverse order, and logs which component stopped slowly or failed to stop. */
export class Teardown<Name extends string = string> implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #log: Log;
  /** The names that may still be registered, in order; undefined if any name is allowed. */
  #upcoming: readonly Name[] | undefined;

  constructor({ clock, log, order }: TeardownDependencies<Name>, stack = new AsyncDisposableStack()) {
    this.#clock = clock;
    this.#log = log;
    this.#upcoming = order;
    this.#stack = stack;
  }

  /**
   * Registers a component, which is disposed of at teardown.
   *
   * @returns `part`
   * @throws MonError `internal` if the name is not allowed, or if the same name or a later name in the order is already
   *   registered
   */
  use<T extends RunningPart>(name: Name, part: T): T {
    this.defer(name, () => (Symbol.asyncDispose in part ? part[Symbol.asyncDispose]() : part[Symbol.dispose]()));
    return part;
  }

  /** Registers a callback that stops a component. @throws MonError as `use` */
  defer(name: Name, work: () => PromiseLike<void> | void): void {
    this.#advanceTo(name);
    this.#stack.defer(() => this.#takeDown(name, work));
  }

  /**
   * Starts components one after another, and registers each of them.
   *
   * @throws MonError as `use`, or the error of a component that fails to start; earlier components stay registered
   */
  async start(table: readonly Lifecycle<Name>[]): Promise<void> {
    for (const { name, start } of table) {
      const starting = start();
      // If a component starts synchronously, there is no `await`, so that no commit happens before the next component
      // starts.
      const part = starting instanceof Promise ? await starting : starting;
      if (part !== undefined) this.use(name, part);
    }
  }

  /** Moves all registered components into a new teardown, which its owner disposes of instead of this one. */
  move(): Teardown<Name> {
    return new Teardown({ clock: this.#clock, log: this.#log, order: this.#upcoming }, this.#stack.move());
  }

  /** Stops all components. @throws the error of a component that failed to stop, after all others were stopped */
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
