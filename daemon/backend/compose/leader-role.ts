import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import { Teardown, type Lifecycle } from './teardown.ts';

/**
 * The leader role of this backend: the parts that run only while it is the leader. The cluster starts and stops them,
 * but some of them need the cluster. So the role is created before the cluster, and its parts are defined after it.
 */
export class LeaderRole implements AsyncDisposable {
  readonly #running: Teardown;
  #parts: readonly Lifecycle[] | undefined;
  #listener: (() => void) | undefined;

  constructor(parts: { readonly clock: Pick<Clock, 'monotonic'>; readonly log: Log }) {
    this.#running = new Teardown(parts);
  }

  /** Defines the parts, in the order in which they start. Called once, before `start`. */
  defineParts(parts: readonly Lifecycle[]): void {
    this.#parts = parts;
  }

  /** @param listener called when this backend becomes or ceases to be the leader; there is at most one */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  /** Starts the parts. Called once: a backend that was the leader is composed again to become a follower. */
  async start(): Promise<void> {
    if (this.#parts === undefined) throw new MonError('internal', 'internal error: the leader has no parts yet');
    await this.#running.start(this.#parts);
  }

  /** Calls the listener, if there is one. */
  announceChange(): void {
    this.#listener?.();
  }

  /** Stops the parts in reverse order. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]();
  }
}
