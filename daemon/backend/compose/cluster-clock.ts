import type { Membership } from '../cluster/membership.ts';
import type { Clock } from '../ports.ts';

/**
 * The clock that all members of the cluster share: the clock of the database, as the membership estimates it. Until
 * `connect` is called, it returns the time of this backend, because signatures need a clock before the membership
 * exists.
 */
export class ClusterClock {
  readonly #ownClock: Pick<Clock, 'now'>;
  #member: Pick<Membership, 'databaseNowMs'> | undefined;

  constructor(own: Pick<Clock, 'now'>) {
    this.#ownClock = own;
  }

  connect(member: Pick<Membership, 'databaseNowMs'>): void {
    this.#member = member;
  }

  /** Returns the current time in epoch milliseconds. */
  now(): number {
    return this.#member?.databaseNowMs ?? this.#ownClock.now();
  }
}
