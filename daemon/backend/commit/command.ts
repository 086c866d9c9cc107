import type { MonError } from '../../../shared/errors.ts';
import type { RequiredEvents } from '../model/notify/routing.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Transaction } from '../model/transaction/transaction.ts';

/**
 * A generator that divides work into steps of less than a millisecond, so that its caller can yield between two steps.
 */
export type StepGenerator<Result = void> = Generator<void, Result, undefined>;

/** One change of the state. Commands are applied in the order in which they are queued. */
export interface StateCommand {
  /** The size of the command for the limits of queue and batch; for a command with results, the number of results. */
  readonly weight: number;
  /**
   * True if the command contains results from outside the backend. It is rejected during an upgrade, for example, so
   * that the senders keep their results.
   */
  readonly isReported?: boolean;
  /** True for bulk priority: no caller waits for the response, so the batch delay may be longer. */
  readonly isBulk?: boolean;
  /**
   * True if later commands must wait for the commit of this one, because it may change which events are handled and
   * which record bodies those commands need.
   */
  readonly endsBatch?: boolean;
  /**
   * Returns the entries whose record bodies `apply` will read; called shortly before `apply`. Absent for most commands,
   * which read no bodies.
   *
   * @param demand callback that returns which events the handlers of a namespace get
   */
  needs?(registry: Registry, demand: (namespace: string) => RequiredEvents): Iterable<object>;
  /**
   * Work that needs exclusive access to the store: no batch is committed meanwhile, and the registry is reloaded
   * afterwards. Its writes are announced without their changes.
   */
  readonly exclusiveWork?: () => Promise<void>;
  /**
   * Changes the registry through the transaction. A command whose size its sender determines returns steps: between two
   * steps other code can read the registry, but no other command is applied.
   *
   * @throws MonError if the command is rejected; it must not have changed anything before that
   */
  apply(transaction: Transaction): StepGenerator | undefined | void;
  /** Called exactly once: with undefined after the durable commit, or with the error that prevented the commit. */
  settle(error: MonError | undefined): void;
}
