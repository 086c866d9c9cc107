import { addToSet, removeFromSet } from '../../../../../shared/domain/sets-by-name.ts';
import type { Inhibitor } from '../../../../../shared/schemas/inhibition.ts';
import type { InhibitorRef } from '../../../../../shared/schemas/notification-log.ts';

/** An index of the inhibited open events of a namespace, by inhibition rule and inhibiting event. */
export class InhibitedEventIndex<Entry> {
  readonly #byRule = new Map<string, Map<string, Set<Entry>>>();

  /** Returns the events that the given event inhibits under the given rule. */
  eventsInhibitedBy({ rule, client, check }: Inhibitor): ReadonlySet<Entry> {
    return this.#byRule.get(rule)?.get(clientCheckKey(client, check)) ?? NO_EVENTS;
  }

  *all(): Generator<Entry, void, undefined> {
    for (const eventsByInhibitor of this.#byRule.values())
      for (const entries of eventsByInhibitor.values()) yield* entries;
  }

  /**
   * Updates the index for one event. Must be called whenever the event becomes inhibited, gets another inhibitor, or is
   * no longer inhibited.
   *
   * @param previousInhibitor the previous inhibitor; undefined if the event was not inhibited
   * @param currentInhibitor the current inhibitor; undefined if the event is not inhibited
   */
  update(entry: Entry, previousInhibitor: InhibitorRef | undefined, currentInhibitor: InhibitorRef | undefined): void {
    if (previousInhibitor !== undefined) this.#remove(entry, previousInhibitor);
    if (currentInhibitor !== undefined) this.#add(entry, currentInhibitor);
  }

  #add(entry: Entry, { rule, client, check }: InhibitorRef): void {
    let eventsByInhibitor = this.#byRule.get(rule);
    if (eventsByInhibitor === undefined) this.#byRule.set(rule, (eventsByInhibitor = new Map()));
    addToSet(eventsByInhibitor, clientCheckKey(client, check), entry);
  }

  #remove(entry: Entry, { rule, client, check }: InhibitorRef): void {
    const eventsByInhibitor = this.#byRule.get(rule);
    if (eventsByInhibitor === undefined) return;
    removeFromSet(eventsByInhibitor, clientCheckKey(client, check), entry);
    if (eventsByInhibitor.size === 0) this.#byRule.delete(rule);
  }
}

const NO_EVENTS: ReadonlySet<never> = new Set();

export function clientCheckKey(client: string, check: string): string {
  return JSON.stringify([client, check]);
}
