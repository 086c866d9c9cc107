import { CHECK_ATTRIBUTES, CLIENT_ATTRIBUTES } from '../../../shared/schemas/attribute-set.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';

const SILENCED: string[] = [''];
const NOT_SILENCED: string[] = [];

/**
 * An open event as the orders of event lists compare it. It reads a field only when the order needs it, because a list
 * can be the first page of very many events. The fields of the event are those at its creation, so that the order stays
 * the same while the list is sorted.
 */
export class OrderedEvent implements EventRow {
  readonly entry: CheckEntry;
  readonly status: number;
  readonly action: EventRow['action'];
  readonly occurrences: number;
  readonly since: number;
  readonly last: number;
  readonly output = '';
  readonly #nowMs: number;
  #silencedBy: string[] | undefined;

  /** @param entry a check with an open event */
  constructor(entry: CheckEntry, nowMs: number) {
    const { event } = entry.state;
    this.entry = entry;
    this.status = event?.status ?? 0;
    this.action = event?.action ?? 'resolve';
    this.occurrences = event?.occurrences ?? 0;
    this.since = event?.lastStateChange ?? event?.timestamp ?? 0;
    this.last = event?.timestamp ?? 0;
    this.#nowMs = nowMs;
  }

  get namespace(): string {
    return this.entry.client.namespace.name;
  }

  get client(): string {
    return this.entry.client.name;
  }

  get check(): string {
    return this.entry.name;
  }

  /** Not empty if the event is silenced. The ids of the silences are not read, because no order compares them. */
  get silenced_by(): string[] {
    return (this.#silencedBy ??= this.#isSilenced() ? SILENCED : NOT_SILENCED);
  }

  get [CLIENT_ATTRIBUTES](): EventRow[typeof CLIENT_ATTRIBUTES] {
    return this.entry.client.attributes?.set;
  }

  get [CHECK_ATTRIBUTES](): EventRow[typeof CHECK_ATTRIBUTES] {
    return this.entry.attributes?.set;
  }

  #isSilenced(): boolean {
    return this.entry.client.namespace.silenced.size > 0 && this.entry.isSilenced(this.#nowMs);
  }
}
