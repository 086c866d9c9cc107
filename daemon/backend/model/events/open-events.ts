import { familiesOf } from '../../../../shared/domain/check-family.ts';
import { addToSet, removeFromSet } from '../../../../shared/domain/sets-by-name.ts';
import { severityOf, type Severity } from '../../../../shared/domain/severity.ts';

/** The attributes of a check on a client that `OpenEvents` reads. */
interface EventHolder {
  readonly name: string;
  readonly state: { readonly event?: { readonly status: number } | undefined };
}

/** Index of the open events of a namespace by the name of their check. */
export class OpenEvents<Entry extends EventHolder> {
  readonly #byCheck = new Map<string, Set<Entry>>();
  /** Open events by check family; a check named `A..B` belongs to the family `A` (prometheus 1.6). */
  readonly #byFamily = new Map<string, Set<Entry>>();

  /** Iterates over all open events, in no particular order. */
  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    for (const entries of this.#byCheck.values()) yield* entries;
  }

  eventsOfCheck(check: string): Iterable<Entry> {
    return this.#byCheck.get(check) ?? NO_EVENTS;
  }

  /** Returns the open events of the checks in the family with this name. */
  inFamily(name: string): Iterable<Entry> {
    return this.#byFamily.get(name) ?? NO_EVENTS;
  }

  add(entry: Entry): void {
    addToSet(this.#byCheck, entry.name, entry);
    for (const family of familiesOf(entry.name)) addToSet(this.#byFamily, family, entry);
  }

  remove(entry: Entry): void {
    removeFromSet(this.#byCheck, entry.name, entry);
    for (const family of familiesOf(entry.name)) removeFromSet(this.#byFamily, family, entry);
  }

  /** Counts the open events by severity. */
  counts(): Record<Severity, number> {
    const counts = { ok: 0, warning: 0, critical: 0, unknown: 0 };
    for (const entries of this.#byCheck.values()) {
      for (const { state } of entries) if (state.event !== undefined) counts[severityOf(state.event.status)]++;
    }
    return counts;
  }
}

const NO_EVENTS: readonly never[] = [];
