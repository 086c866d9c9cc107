import type { Membership } from '../cluster/membership.ts';
import type { Clock } from '../ports.ts';

/**
 * The clock that all members of the cluster share: the clock of the database, which the membership estimates. The
 * membership needs the signatures, and these need this clock; until `connect`, it is the clock of this backend.
 */
export class ClusterClock {
  readonly #own: Pick<Clock, 'now'>;
  #member: Pick<Membership, 'databaseNowMs'> | undefined;

  constructor(own: Pick<Clock, 'now'>) {
    this.#own = own;
  }

  connect(member: Pick<Membership, 'databaseNowMs'>): void {
    this.#member = member;
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.#member?.databaseNowMs ?? this.#own.now();
  }
}
