import { parseSelector, type Selector, type SelectorSubject } from '../../../shared/domain/selector.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { SelectorIndex, type Indexed } from './selector-index.ts';

/** An entry whose selector is evaluated. */
interface Active extends Indexed {
  entry: SilencedEntry;
}

/** How far the selectors were evaluated, and the entries that match. */
interface Evaluated<Entry> {
  /** Of the last selector that was looked at. */
  last: number;
  removals: number;
  matching: readonly Entry[];
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
    const existing = this.#active.get(entry.id);
    if (existing?.selector.text === text.trim()) {
      // The matches stay: only its times differ, or its reason.
      existing.entry = entry;
      return existing.selector;
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
    const { selectors: evaluated } = check;
    return evaluated !== undefined && evaluated.client === check.client.selectors && evaluated.last === this.#last;
  }

  /** The entries whose selector matches a check, whether or not they are active. */
  matching(check: SelectedCheck): readonly SilencedEntry[] {
    if (this.#active.size === 0) return NONE;
    // Usually there is nothing left to do: no steps are made for it.
    if (!this.isPrepared(check)) {
      const steps = this.prepare(check);
      while (steps.next().done !== true);
    }
    const { selectors: evaluated } = check;
    if (evaluated === undefined) return NONE;
    this.#forgetRemoved(evaluated);
    return evaluated.matching.length === 0 ? NONE : evaluated.matching.map(({ entry }) => entry);
  }

  /**
   * Evaluates what `matching` would evaluate, in steps of bounded time. Between steps the check, its client or the
   * selectors may change; what is found then is not used.
   */
  *prepare(check: SelectedCheck): Generator<void, void, undefined> {
    if (this.#active.size === 0) return;
    const client = yield* this.#prepareClient(check.client);
    if (client === undefined) return;
    let evaluated = check.selectors;
    if (evaluated?.client !== client)
      check.selectors = evaluated = { client, last: 0, removals: this.#removals, matching: NONE };
    // Not further than its client was: others may have come between two steps.
    const { last } = client;
    if (evaluated.last >= last) return;
    const subject = check.subject();
    const candidates = this.#index.checkCandidates(subject, client.matching, evaluated.last, last);
    yield* this.#evaluate(evaluated, last, candidates, ({ selector }) => selector.matches(subject));
  }

  /** Entries that match what is not known as a check of its own, or with other attributes; nothing is remembered of it. */
  matchingOnce(subject: SelectorSubject): readonly SilencedEntry[] {
    return this.#index
      .candidates(subject)
      .flatMap(({ entry, isRemoved, selector }) => (!isRemoved && selector.matches(subject) ? [entry] : []));
  }

  *#prepareClient(client: SelectedClient): Generator<void, ClientSelectors | undefined, undefined> {
    const evaluated = (client.selectors ??= { last: 0, removals: this.#removals, matching: NONE });
    const last = this.#last;
    if (evaluated.last < last) {
      const subject = client.subject();
      const candidates = this.#index.clientCandidates(subject, evaluated.last, last);
      yield* this.#evaluate(evaluated, last, candidates, ({ selector }) => selector.mayMatch(subject));
    }
    this.#forgetRemoved(evaluated);
    // It may have changed between two steps.
    return client.selectors === evaluated ? evaluated : undefined;
  }

  /**
   * Evaluates candidates, which are in the order of their numbers.
   *
   * @param last number of the last candidate to evaluate
   */
  *#evaluate(
    evaluated: Evaluated<Active>,
    last: number,
    candidates: readonly Active[],
    matches: (active: Active) => boolean,
  ): Generator<void, void, undefined> {
    const before = evaluated.last;
    const matching: Active[] = [];
    for (const [at, candidate] of candidates.entries()) {
      if (at % STEP === STEP - 1) yield;
      if (candidate.number > last) break;
      if (!candidate.isRemoved && matches(candidate)) matching.push(candidate);
    }
    // Somebody else may have been faster between two steps.
    if (evaluated.last !== before) return;
    if (matching.length > 0) evaluated.matching = [...evaluated.matching, ...matching];
    evaluated.last = last;
  }

  #forgetRemoved(evaluated: Evaluated<Active>): void {
    if (evaluated.removals === this.#removals) return;
    evaluated.removals = this.#removals;
    if (evaluated.matching.length === 0) return;
    evaluated.matching = evaluated.matching.filter(({ isRemoved }) => !isRemoved);
  }
}
