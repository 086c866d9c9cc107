import { parseSelector, type Selector, type SelectorSubject } from '../../../../shared/domain/selector.ts';
import type { SilencedEntry } from '../../../../shared/schemas/silenced.ts';
import { SelectorIndex, type IndexedSelector } from './selector-index.ts';

/** A silence whose selector is a valid search. */
interface ActiveSelector extends IndexedSelector {
  entry: SilencedEntry;
}

/** Cache of an evaluation: how far the selectors were evaluated, and the silences whose selector matches. */
interface EvaluationCache<Entry> {
  /** Number of the newest selector that was evaluated; all selectors with lower numbers were evaluated too. */
  last: number;
  removals: number;
  matching: readonly Entry[];
}

/**
 * Cache of a client: the silences whose selector possibly matches one of its checks. Selectors that are indexed by the
 * name of a check are not included. The cache is discarded when the client changes.
 */
export type ClientSelectors = EvaluationCache<ActiveSelector>;

/**
 * Cache of a check: the silences whose selector matches the check. It is discarded when the check or its client
 * changes.
 */
export interface CheckSelectors extends EvaluationCache<ActiveSelector> {
  readonly client: ClientSelectors;
}

interface SelectedClient {
  selectors: ClientSelectors | undefined;
  /** Returns the attributes of the client that selectors are matched against; the name of the check is empty. */
  subject(): SelectorSubject;
}

export interface SelectedCheck {
  selectors: CheckSelectors | undefined;
  readonly client: SelectedClient;
  subject(): SelectorSubject;
}

const NO_ENTRIES: readonly never[] = [];

/** Number of selectors that `prepare` evaluates before it yields: a few hundred microseconds of work. */
const STEP_SELECTORS = 200;

/**
 * The silences of one namespace whose selector is a search. Each selector is evaluated on demand, once per client and
 * once per check, and the result is cached (silencing 2).
 */
export class Selectors {
  readonly #active = new Map<string, ActiveSelector>();
  readonly #index = new SelectorIndex<ActiveSelector>();
  #last = 0;
  #removals = 0;
  #cost = 0;

  get isEmpty(): boolean {
    return this.#active.size === 0;
  }

  /** Sum of the evaluation costs of all selectors, see `Selector.cost`. */
  get cost(): number {
    return this.#cost;
  }

  /** Yields the valid selectors of all silences, including pending and expired ones. */
  *all(): Generator<Selector, void, undefined> {
    for (const { selector } of this.#active.values()) yield selector;
  }

  /** Returns the selector of the silence with this id; undefined if its selector is not a valid search. */
  get(id: string): Selector | undefined {
    return this.#active.get(id)?.selector;
  }

  /**
   * Adds a silence, or replaces the silence with the same id. If this version cannot parse the selector, because a
   * later version wrote it, the silence is not added and matches nothing.
   *
   * @returns the parsed selector; undefined if it is invalid
   */
  put(entry: SilencedEntry, text: string): Selector | undefined {
    const existing = this.#active.get(entry.id);
    if (existing?.selector.text === text.trim()) {
      // The selector is unchanged, so cached matches stay valid. Only attributes such as the end or the reason differ.
      existing.entry = entry;
      return existing.selector;
    }
    this.remove(entry.id);
    const selector = parseSelector(text);
    if (selector.kind === 'problem') return undefined;
    const active: ActiveSelector = { number: ++this.#last, entry, selector, isRemoved: false };
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

  /** True if the cache of a check is up to date, so that `matching` need not evaluate a selector. */
  isPrepared(check: SelectedCheck): boolean {
    if (this.#active.size === 0) return true;
    const { selectors: evaluated } = check;
    return evaluated !== undefined && evaluated.client === check.client.selectors && evaluated.last === this.#last;
  }

  /** Returns the silences whose selector matches a check, including pending and expired ones. The result is cached. */
  matching(check: SelectedCheck): readonly SilencedEntry[] {
    if (this.#active.size === 0) return NO_ENTRIES;
    // Usually the cache is up to date, and creating a generator would only cost time.
    if (!this.isPrepared(check)) {
      const steps = this.prepare(check);
      while (steps.next().done !== true);
    }
    const { selectors: evaluated } = check;
    if (evaluated === undefined) return NO_ENTRIES;
    this.#forgetRemoved(evaluated);
    return evaluated.matching.length === 0 ? NO_ENTRIES : evaluated.matching.map(({ entry }) => entry);
  }

  /**
   * Updates the cache of a check in short steps, so that `matching` then need not evaluate a selector. If the check or
   * its client changes between two steps, the result is discarded. Selectors that are added between two steps are
   * possibly left out.
   */
  *prepare(check: SelectedCheck): Generator<void, void, undefined> {
    if (this.#active.size === 0) return;
    const client = yield* this.#prepareClient(check.client);
    if (client === undefined) return;
    let evaluated = check.selectors;
    if (evaluated?.client !== client)
      check.selectors = evaluated = { client, last: 0, removals: this.#removals, matching: NO_ENTRIES };
    // Selectors that were added after the evaluation for the client are left to the next call.
    const { last } = client;
    if (evaluated.last >= last) return;
    const subject = check.subject();
    const candidates = this.#index.checkCandidates(subject, client.matching, evaluated.last, last);
    yield* this.#evaluate(evaluated, last, candidates, ({ selector }) => selector.matches(subject));
  }

  /**
   * Returns the silences whose selector matches a hypothetical check, or a check with attributes that differ from the
   * stored ones. Nothing is cached.
   */
  matchingOnce(subject: SelectorSubject): readonly SilencedEntry[] {
    return this.#index
      .candidates(subject)
      .flatMap(({ entry, isRemoved, selector }) => (!isRemoved && selector.matches(subject) ? [entry] : []));
  }

  *#prepareClient(client: SelectedClient): Generator<void, ClientSelectors | undefined, undefined> {
    const evaluated = (client.selectors ??= { last: 0, removals: this.#removals, matching: NO_ENTRIES });
    const last = this.#last;
    if (evaluated.last < last) {
      const subject = client.subject();
      const candidates = this.#index.clientCandidates(subject, evaluated.last, last);
      yield* this.#evaluate(evaluated, last, candidates, ({ selector }) => selector.canMatchClient(subject));
    }
    this.#forgetRemoved(evaluated);
    // If the client changed between two steps, its cache was discarded and this evaluation is out of date.
    return client.selectors === evaluated ? evaluated : undefined;
  }

  /**
   * Evaluates candidates, and adds the silences that match to a cache.
   *
   * @param last number of the newest selector to evaluate
   * @param candidates in the order of their numbers
   */
  *#evaluate(
    evaluated: EvaluationCache<ActiveSelector>,
    last: number,
    candidates: readonly ActiveSelector[],
    matches: (active: ActiveSelector) => boolean,
  ): Generator<void, void, undefined> {
    const before = evaluated.last;
    const matching: ActiveSelector[] = [];
    for (const [at, candidate] of candidates.entries()) {
      if (at % STEP_SELECTORS === STEP_SELECTORS - 1) yield;
      if (candidate.number > last) break;
      if (!candidate.isRemoved && matches(candidate)) matching.push(candidate);
    }
    // Another caller can have completed the same evaluation between two steps.
    if (evaluated.last !== before) return;
    if (matching.length > 0) evaluated.matching = [...evaluated.matching, ...matching];
    evaluated.last = last;
  }

  #forgetRemoved(evaluated: EvaluationCache<ActiveSelector>): void {
    if (evaluated.removals === this.#removals) return;
    evaluated.removals = this.#removals;
    if (evaluated.matching.length === 0) return;
    evaluated.matching = evaluated.matching.filter(({ isRemoved }) => !isRemoved);
  }
}
