import type { EscalationState } from '../../../../shared/schemas/escalation.ts';

/** Estimated memory usage of an escalation in bytes, without the names of the notified handlers. */
const ESCALATION_BYTES = 300;
/** Estimated memory usage of the name of a notified handler in bytes. */
const NOTIFIED_BYTES = 40;

type Escalations = readonly EscalationState[] | undefined;

/** An index of the open events of a namespace that have escalations. */
export class EscalatedEvents<Entry> {
  readonly #entries = new Set<Entry>();

  get size(): number {
    return this.#entries.size;
  }

  all(): Iterable<Entry> {
    return this.#entries;
  }

  /**
   * Updates the index for one event. Must be called whenever the escalations of the event change.
   *
   * @returns the change of the estimated memory usage in bytes
   */
  update(entry: Entry, previous: Escalations, current: Escalations): number {
    if (current === undefined) this.#entries.delete(entry);
    else this.#entries.add(entry);
    return bytesOf(current) - bytesOf(previous);
  }
}

function bytesOf(escalations: Escalations = []): number {
  return escalations.reduce((sum, { notified }) => sum + ESCALATION_BYTES + NOTIFIED_BYTES * notified.length, 0);
}
