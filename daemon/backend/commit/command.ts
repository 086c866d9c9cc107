import type { MonError } from '../../../shared/errors.ts';
import type { Audience } from '../handlers/event-handling.ts';
import type { Registry } from '../registry/registry.ts';
import type { Transaction } from './transaction.ts';

/** Work in steps, each of which takes less than a millisecond. */
export type Steps<Result = void> = Generator<void, Result, undefined>;

/** One change of the state, applied in the order of arrival. */
export interface Command {
  /** How much of the queue it takes; one per result. */
  readonly weight: number;
  /** Whether it brings results from outside, which their senders have to keep while an upgrade asks for it. */
  readonly isReported?: boolean;
  /** Whether its sender goes on without its answer, so that it may wait somewhat longer for company. */
  readonly isPatient?: boolean;
  /** Whether what comes after it waits for its commit: by it other events may be handled, and other bodies be needed. */
  readonly endsBatch?: boolean;
  /**
   * The entries whose bodies `apply` will read, asked right before it. Most commands need none.
   *
   * @param audience who an event of a namespace could be given to, with its client
   */
  needs?(registry: Registry, audience: (namespace: string) => Audience): Iterable<object>;
  /** Work on the store itself, with nothing committed beside it; the registry is read again after it. It announces nothing. */
  readonly alone?: () => Promise<void>;
  /**
   * Changes the registry through the transaction. No other command runs beside it. A command whose size its sender
   * chooses returns steps: between two of them others read the registry, and no command changes it.
   *
   * @throws MonError when it is refused; then it must not have changed anything
   */
  apply(transaction: Transaction): Steps | undefined | void;
  /** Told once: after the durable commit, or with the reason why there was none. */
  settle(error: MonError | undefined): void;
}
