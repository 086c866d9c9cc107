import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import { Teardown, type Lifecycle } from './teardown.ts';

/**
 * The components that run only while this backend is the leader. The cluster membership starts and stops them, but some
 * of them depend on the membership. So this object is created before the membership, and its parts are defined later.
 */
export class LeaderRole implements AsyncDisposable {
  readonly #running: Teardown;
  #parts: readonly Lifecycle[] | undefined;
  #listener: (() => void) | undefined;

  constructor(parts: { readonly clock: Pick<Clock, 'monotonic'>; readonly log: Log }) {
    this.#running = new Teardown(parts);
  }

  /** Defines the parts, in the order in which they start. Call it once, before `start`. */
  defineParts(parts: readonly Lifecycle[]): void {
    this.#parts = parts;
  }

  /**
   * Sets the listener for changes of the role; only one is possible. @param listener called when this backend becomes
   * the leader or begins a handover
   */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  /** Starts the parts. Call it only once: when a leader becomes a follower, all its components are created again. */
  async start(): Promise<void> {
    if (this.#parts === undefined) throw new MonError('internal', 'internal error: the leader has no parts yet');
    await this.#running.start(this.#parts);
  }

  /** Calls the listener that `onChange` has set. */
  announceChange(): void {
    this.#listener?.();
  }

  /** Stops the parts in reverse order. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]();
  }
}
