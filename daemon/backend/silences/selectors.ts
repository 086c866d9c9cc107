import { parseSelector, type Selector, type SelectorSubject } from '../../../shared/domain/selector.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';

/** An entry whose selector is evaluated. */
interface Active {
  /** Grows from one to the next. */
  readonly number: number;
  entry: SilencedEntry;
  readonly selector: Selector;
}

/** How far the selectors were evaluated, and what was found. */
interface Evaluated<Found> {
  /** Of the last selector that was looked at. */
  last: number;
  removals: number;
  found: readonly Found[];
}

/** What is remembered of a client: the selectors that may match a check of it. Gone when the client changes. */
export type ClientSelectors = Evaluated<Active>;

/** What is remembered of a check: the entries whose selector matches it. Gone when it changes, or its client. */
export interface CheckSelectors extends Evaluated<Active> {
  readonly client: ClientSelectors;
}

interface SelectedClient {
  selectors: ClientSelectors | undefined;
  /** The client as selectors see it, with a check of no name. */
  subject(): SelectorSubject;
}

export interface SelectedCheck {
  selectors: CheckSelectors | undefined;
  readonly client: SelectedClient;
  subject(): SelectorSubject;
}

const NONE: readonly never[] = [];

/** The selectors of one namespace. Each is evaluated once for a client and for a check, when somebody asks (silencing 2). */
export class Selectors {
  readonly #active = new Map<string, Active>();
  /** Active selectors by number. */
  #inOrder: Active[] = [];
  #last = 0;
  #removals = 0;

  get isEmpty(): boolean {
    return this.#active.size === 0;
  }

  /** The selectors that are in force. */
  *all(): Generator<Selector, void, undefined> {
    for (const { selector } of this.#active.values()) yield selector;
  }

  /** In place of the one with this id. One that a later version wrote, and this cannot read, matches nothing. */
  put(entry: SilencedEntry, text: string): Selector | undefined {
    const known = this.#active.get(entry.id);
    if (known?.selector.text === text.trim()) {
      // What it finds is known: only its times are others, or its reason.
      known.entry = entry;
      return known.selector;
    }
    this.remove(entry.id);
    const selector = parseSelector(text);
    if (selector.kind === 'problem') return undefined;
    const active = { number: ++this.#last, entry, selector };
    this.#active.set(entry.id, active);
    this.#inOrder.push(active);
    return selector;
  }

  remove(id: string): void {
    const active = this.#active.get(id);
    if (active === undefined) return;
    this.#active.delete(id);
    this.#inOrder = this.#inOrder.filter((other) => other !== active);
    this.#removals++;
  }

  /** The entries whose selector matches a check, whether or not they are active. */
  matching(check: SelectedCheck): readonly SilencedEntry[] {
    if (this.#active.size === 0) return NONE;
    const client = this.#ofClient(check.client);
    let known = check.selectors;
    if (known?.client !== client) check.selectors = known = { client, last: 0, removals: this.#removals, found: NONE };
    if (known.last < this.#last) {
      const subject = check.subject();
      this.#lookAt(known, client.found, ({ selector }) => selector.matches(subject));
    }
    this.#forgetRemoved(known);
    return known.found.length === 0 ? NONE : known.found.map(({ entry }) => entry);
  }

  /** Entries that match what is not known as a check of its own, or with other attributes; nothing is remembered of it. */
  matchingOnce(subject: SelectorSubject): readonly SilencedEntry[] {
    return this.#inOrder.flatMap(({ entry, selector }) => (selector.matches(subject) ? [entry] : []));
  }

  #ofClient(client: SelectedClient): ClientSelectors {
    const known = (client.selectors ??= { last: 0, removals: this.#removals, found: NONE });
    if (known.last < this.#last) {
      const subject = client.subject();
      this.#lookAt(known, this.#inOrder, ({ selector }) => selector.mayMatch(subject));
    }
    this.#forgetRemoved(known);
    return known;
  }

  /** Evaluates those that came since it was done last. */
  #lookAt(known: Evaluated<Active>, candidates: readonly Active[], isFound: (active: Active) => boolean): void {
    const found: Active[] = [];
    for (let at = candidates.length - 1; at >= 0; at--) {
      const candidate = candidates[at];
      if (candidate === undefined || candidate.number <= known.last) break;
      if (isFound(candidate)) found.push(candidate);
    }
    if (found.length > 0) known.found = [...known.found, ...found.toReversed()];
    known.last = this.#last;
  }

  #forgetRemoved(known: Evaluated<Active>): void {
    if (known.removals === this.#removals) return;
    known.removals = this.#removals;
    if (known.found.length === 0) return;
    known.found = known.found.filter((active) => this.#active.get(active.entry.id) === active);
  }
}
