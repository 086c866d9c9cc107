import type { MonError } from '../../../shared/errors.ts';
import type { EventDemand } from '../model/notify/route.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Transaction } from '../model/transaction/transaction.ts';

/** Work in steps, each of which takes less than a millisecond. */
export type Steps<Result = void> = Generator<void, Result, undefined>;

/** One change of the state, applied in the order of arrival. */
export interface StateCommand {
  /** Its share of the queue: one per result. */
  readonly weight: number;
  /** True if it contains results from outside, which their senders must keep during an upgrade. */
  readonly isReported?: boolean;
  /** True for bulk priority: the sender does not wait for the response, so the batch delay may be longer. */
  readonly isBulk?: boolean;
  /**
   * True if later commands must wait for its commit, because it may change which events are handled and which bodies
   * are needed.
   */
  readonly endsBatch?: boolean;
  /**
   * Returns the entries whose bodies `apply` will read; called right before it. Most commands need none.
   *
   * @param demand returns the handlers that an event of a namespace could reach, with its client
   */
  needs?(registry: Registry, demand: (namespace: string) => EventDemand): Iterable<object>;
  /**
   * Work on the store itself, without a concurrent commit; the registry is read again after it. It announces nothing.
   */
  readonly exclusiveWork?: () => Promise<void>;
  /**
   * Changes the registry through the transaction. No other command runs concurrently. A command whose size its sender
   * determines returns steps: between two of them readers may read the registry, and no command changes it.
   *
   * @throws MonError if it is rejected; then it must not have changed anything
   */
  apply(transaction: Transaction): Steps | undefined | void;
  /** Called once: after the durable commit, or with the reason why there was none. */
  settle(error: MonError | undefined): void;
}
