import { severityOf, type Severity } from '../../../shared/domain/severity.ts';

/** A check of a client, as far as its event goes. */
interface EventHolder {
  readonly name: string;
  readonly state: { readonly event?: { readonly status: number } | undefined };
}

/** The open events of a namespace by check. */
export class OpenEvents<Entry extends EventHolder> {
  readonly #byCheck = new Map<string, Set<Entry>>();

  of(check: string): Iterable<Entry> {
    return this.#byCheck.get(check) ?? [];
  }

  add(entry: Entry): void {
    const entries = this.#byCheck.get(entry.name);
    if (entries === undefined) this.#byCheck.set(entry.name, new Set([entry]));
    else entries.add(entry);
  }

  remove(entry: Entry): void {
    const entries = this.#byCheck.get(entry.name);
    entries?.delete(entry);
    if (entries?.size === 0) this.#byCheck.delete(entry.name);
  }

  /** By severity, counted when it is asked. */
  counts(): Record<Severity, number> {
    const counts = { ok: 0, warning: 0, critical: 0, unknown: 0 };
    for (const entries of this.#byCheck.values()) {
      for (const { state } of entries) if (state.event !== undefined) counts[severityOf(state.event.status)]++;
    }
    return counts;
  }
}
