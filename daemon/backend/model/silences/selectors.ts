import { parseSelector, type Selector, type SelectorSubject } from '../../../../shared/domain/selector.ts';
import type { SilencedEntry } from '../../../../shared/schemas/silenced.ts';
import { SelectorIndex, type Indexed } from './selector-index.ts';

/** An entry whose selector is evaluated. */
interface Active extends Indexed {
  entry: SilencedEntry;
}

/** The progress of an evaluation, and the entries that match. */
interface Evaluated<Entry> {
  /** Number of the last selector that was evaluated. */
  last: number;
  removals: number;
  matching: readonly Entry[];
}

/**
 * The cached evaluation for a client: the selectors that may match one of its checks. Discarded when the client
 * changes.
 */
export type ClientSelectors = Evaluated<Active>;

/**
 * The cached evaluation for a check: the entries whose selector matches it. Discarded when the check or its client
 * changes.
 */
export interface CheckSelectors extends Evaluated<Active> {
  readonly client: ClientSelectors;
}

interface SelectedClient {
  selectors: ClientSelectors | undefined;
  /** Returns the client as selectors see it, with a nameless check. */
  subject(): SelectorSubject;
}

export interface SelectedCheck {
  selectors: CheckSelectors | undefined;
  readonly client: SelectedClient;
  subject(): SelectorSubject;
}

const NONE: readonly never[] = [];

/** Number of evaluations between two steps of `prepare`: some hundred microseconds. */
const STEP = 200;

/** The selectors of one namespace. Each is evaluated lazily, once for a client and once for a check (silencing 2). */
export class Selectors {
  readonly #active = new Map<string, Active>();
  readonly #index = new SelectorIndex<Active>();
  #last = 0;
  #removals = 0;
  #cost = 0;

  get isEmpty(): boolean {
    return this.#active.size === 0;
  }

  /** The total cost of all selectors, see `Selector.cost`. */
  get cost(): number {
    return this.#cost;
  }

  /** Yields the selectors in force. */
  *all(): Generator<Selector, void, undefined> {
    for (const { selector } of this.#active.values()) yield selector;
  }

  /** Returns the selector of the entry with this id. */
  get(id: string): Selector | undefined {
    return this.#active.get(id)?.selector;
  }

  /**
   * Adds an entry, or replaces the one with this id. A selector that a later version wrote, and this version cannot
   * parse, matches nothing.
   */
  put(entry: SilencedEntry, text: string): Selector | undefined {
    const existing = this.#active.get(entry.id);
    if (existing?.selector.text === text.trim()) {
      // The matches stay valid: only its times or its reason differ.
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

  /** True if `matching` has nothing left to evaluate for a check. */
  isPrepared(check: SelectedCheck): boolean {
    if (this.#active.size === 0) return true;
    const { selectors: evaluated } = check;
    return evaluated !== undefined && evaluated.client === check.client.selectors && evaluated.last === this.#last;
  }

  /** Returns the entries whose selector matches a check, whether or not they are active. */
  matching(check: SelectedCheck): readonly SilencedEntry[] {
    if (this.#active.size === 0) return NONE;
    // Usually there is nothing left to evaluate, and no generator is created.
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
   * Evaluates what `matching` would evaluate, in steps of bounded time. The check, its client or the selectors may
   * change between steps; then the result is discarded.
   */
  *prepare(check: SelectedCheck): Generator<void, void, undefined> {
    if (this.#active.size === 0) return;
    const client = yield* this.#prepareClient(check.client);
    if (client === undefined) return;
    let evaluated = check.selectors;
    if (evaluated?.client !== client)
      check.selectors = evaluated = { client, last: 0, removals: this.#removals, matching: NONE };
    // Not beyond the client's evaluation: new selectors may have been added between two steps.
    const { last } = client;
    if (evaluated.last >= last) return;
    const subject = check.subject();
    const candidates = this.#index.checkCandidates(subject, client.matching, evaluated.last, last);
    yield* this.#evaluate(evaluated, last, candidates, ({ selector }) => selector.matches(subject));
  }

  /** Returns the entries that match a subject without a check of its own, or with other attributes, without caching. */
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
    // Another caller may have finished it between two steps.
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
