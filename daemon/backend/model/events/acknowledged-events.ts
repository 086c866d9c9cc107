import type { Acknowledgement } from '../../../../shared/schemas/acknowledgement.ts';

/** Estimated memory usage of an acknowledgement in bytes, without its texts. */
const ACKNOWLEDGEMENT_BYTES = 200;

/** An index of the acknowledged open events of a namespace. */
export class AcknowledgedEvents<Entry> {
  readonly #entries = new Set<Entry>();

  get size(): number {
    return this.#entries.size;
  }

  all(): Iterable<Entry> {
    return this.#entries;
  }

  /**
   * Updates the index for one event. Must be called whenever the acknowledgement of the event changes.
   *
   * @returns the change of the estimated memory usage in bytes
   */
  update(entry: Entry, previous: Acknowledgement | undefined, current: Acknowledgement | undefined): number {
    if (current === undefined) this.#entries.delete(entry);
    else this.#entries.add(entry);
    return bytesOf(current) - bytesOf(previous);
  }
}

function bytesOf(acknowledgement: Acknowledgement | undefined): number {
  if (acknowledgement === undefined) return 0;
  return ACKNOWLEDGEMENT_BYTES + acknowledgement.owner.length + (acknowledgement.note?.length ?? 0);
}
