import { parseSelector, type Selector, type SelectorSubject } from '../../../shared/domain/selector.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { SelectorIndex, type Indexed } from './selector-index.ts';

/** An entry whose selector is evaluated. */
interface Active extends Indexed {
  entry: SilencedEntry;
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

/** Evaluations between two steps of `prepare`: some hundred microseconds. */
const STEP = 200;

/** The selectors of one namespace. Each is evaluated once for a client and for a check, when somebody asks (silencing 2). */
export class Selectors {
  readonly #active = new Map<string, Active>();
  readonly #index = new SelectorIndex<Active>();
  #last = 0;
  #removals = 0;
  #cost = 0;

  get isEmpty(): boolean {
    return this.#active.size === 0;
  }

  /** The cost of all selectors together, see `Selector.cost`. */
  get cost(): number {
    return this.#cost;
  }

  /** The selectors that are in force. */
  *all(): Generator<Selector, void, undefined> {
    for (const { selector } of this.#active.values()) yield selector;
  }

  /** The selector of the entry with this id. */
  get(id: string): Selector | undefined {
    return this.#active.get(id)?.selector;
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
    const active: Active = { number: ++this.#last, entry, selector, isRemoved: false };
    this.#active.set(entry.id, active);
    this.#index.add(active);
    this.#cost += selector.cost;
    return selector;
  }

  remove(id: string): void {
    const active = this.#active.get(id);
    if (active === undefined) return;
    this.#active.delete(id);
    this.#index.remove(active);
    this.#cost -= active.selector.cost;
    this.#removals++;
  }

  /** Whether `matching` has nothing left to evaluate for a check. */
  isPrepared(check: SelectedCheck): boolean {
    if (this.#active.size === 0) return true;
    const { selectors: known } = check;
    return known !== undefined && known.client === check.client.selectors && known.last === this.#last;
  }

  /** The entries whose selector matches a check, whether or not they are active. */
  matching(check: SelectedCheck): readonly SilencedEntry[] {
    if (this.#active.size === 0) return NONE;
    // Usually there is nothing left to do: no steps are made for it.
    if (!this.isPrepared(check)) {
      const steps = this.prepare(check);
      while (steps.next().done !== true);
    }
    const { selectors: known } = check;
    if (known === undefined) return NONE;
    this.#forgetRemoved(known);
    return known.found.length === 0 ? NONE : known.found.map(({ entry }) => entry);
  }

  /**
   * Evaluates what `matching` would evaluate, in steps of bounded time. Between steps the check, its client or the
   * selectors may change; what is found then is not used.
   */
  *prepare(check: SelectedCheck): Generator<void, void, undefined> {
    if (this.#active.size === 0) return;
    const client = yield* this.#prepareClient(check.client);
    if (client === undefined) return;
    let known = check.selectors;
    if (known?.client !== client) check.selectors = known = { client, last: 0, removals: this.#removals, found: NONE };
    // Not further than its client was: others may have come between two steps.
    const { last } = client;
    if (known.last >= last) return;
    const subject = check.subject();
    const candidates = this.#index.checkCandidates(subject, client.found, known.last, last);
    yield* this.#evaluate(known, last, candidates, ({ selector }) => selector.matches(subject));
  }

  /** Entries that match what is not known as a check of its own, or with other attributes; nothing is remembered of it. */
  matchingOnce(subject: SelectorSubject): readonly SilencedEntry[] {
    return this.#index
      .candidates(subject)
      .flatMap(({ entry, isRemoved, selector }) => (!isRemoved && selector.matches(subject) ? [entry] : []));
  }

  *#prepareClient(client: SelectedClient): Generator<void, ClientSelectors | undefined, undefined> {
    const known = (client.selectors ??= { last: 0, removals: this.#removals, found: NONE });
    const last = this.#last;
    if (known.last < last) {
      const subject = client.subject();
      const candidates = this.#index.clientCandidates(subject, known.last, last);
      yield* this.#evaluate(known, last, candidates, ({ selector }) => selector.mayMatch(subject));
    }
    this.#forgetRemoved(known);
    // It may have changed between two steps.
    return client.selectors === known ? known : undefined;
  }

  /**
   * Evaluates the candidates up to a number, in whose order they are.
   *
   * @param last the number
   */
  *#evaluate(
    known: Evaluated<Active>,
    last: number,
    candidates: readonly Active[],
    isFound: (active: Active) => boolean,
  ): Generator<void, void, undefined> {
    const before = known.last;
    const found: Active[] = [];
    for (const [at, candidate] of candidates.entries()) {
      if (at % STEP === STEP - 1) yield;
      if (candidate.number > last) break;
      if (!candidate.isRemoved && isFound(candidate)) found.push(candidate);
    }
    // Somebody else may have been faster between two steps.
    if (known.last !== before) return;
    if (found.length > 0) known.found = [...known.found, ...found];
    known.last = last;
  }

  #forgetRemoved(known: Evaluated<Active>): void {
    if (known.removals === this.#removals) return;
    known.removals = this.#removals;
    if (known.found.length === 0) return;
    known.found = known.found.filter(({ isRemoved }) => !isRemoved);
  }
}
