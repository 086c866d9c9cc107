import { addTo, takeFrom } from '../../../../../shared/domain/sets-by-name.ts';
import type { Inhibitor } from '../../../../../shared/schemas/inhibition.ts';
import type { InhibitorRef } from '../../../../../shared/schemas/notification-log.ts';

/** The inhibited open events of a namespace, by rule and by inhibitor. */
export class InhibitedEvents<Entry> {
  readonly #byRule = new Map<string, Map<string, Set<Entry>>>();

  /** Returns the events that an inhibitor inhibits by a rule. */
  of({ rule, client, check }: Inhibitor): ReadonlySet<Entry> {
    return this.#byRule.get(rule)?.get(checkKey(client, check)) ?? NONE;
  }

  *all(): Generator<Entry, void, undefined> {
    for (const own of this.#byRule.values()) for (const entries of own.values()) yield* entries;
  }

  /** Updates the index. Must be called whenever the inhibitor of an event changes, or the inhibition lifts. */
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
