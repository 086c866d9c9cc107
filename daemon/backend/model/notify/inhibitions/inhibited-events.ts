import { addTo, takeFrom } from '../../../../../shared/domain/sets-by-name.ts';
import type { Inhibitor } from '../../../../../shared/schemas/inhibition.ts';
import type { InhibitorRef } from '../../../../../shared/schemas/notification-log.ts';

/** An index of the inhibited open events of a namespace, by inhibition rule and inhibiting event. */
export class InhibitedEvents<Entry> {
  readonly #byRule = new Map<string, Map<string, Set<Entry>>>();

  /** Returns the events that are inhibited by this inhibiting event under this rule. */
  of({ rule, client, check }: Inhibitor): ReadonlySet<Entry> {
    return this.#byRule.get(rule)?.get(checkKey(client, check)) ?? NONE;
  }

  *all(): Generator<Entry, void, undefined> {
    for (const own of this.#byRule.values()) for (const entries of own.values()) yield* entries;
  }

  /**
   * Moves an event in the index. It must be called whenever the event becomes inhibited, gets another inhibitor, or is
   * no longer inhibited.
   *
   * @param before the previous inhibitor; undefined if the event was not inhibited
   * @param after the current inhibitor; undefined if the event is not inhibited
   */
  move(entry: Entry, before: InhibitorRef | undefined, after: InhibitorRef | undefined): void {
    if (before !== undefined) this.#take(entry, before);
    if (after !== undefined) this.#put(entry, after);
  }

  #put(entry: Entry, { rule, client, check }: InhibitorRef): void {
    let own = this.#byRule.get(rule);
    if (own === undefined) this.#byRule.set(rule, (own = new Map()));
    addTo(own, checkKey(client, check), entry);
  }

  #take(entry: Entry, { rule, client, check }: InhibitorRef): void {
    const own = this.#byRule.get(rule);
    if (own === undefined) return;
    takeFrom(own, checkKey(client, check), entry);
    if (own.size === 0) this.#byRule.delete(rule);
  }
}

const NONE: ReadonlySet<never> = new Set();

export function checkKey(client: string, check: string): string {
  return JSON.stringify([client, check]);
}
