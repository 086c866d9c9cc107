import {
  labelReader,
  type AlertNaming,
  type LabelReader,
  type LabelSubject,
} from '../../../../shared/domain/alert-labels.ts';
import type { LabelMatcher } from '../../../../shared/domain/label-matchers.ts';
import { requiredValues, type MatcherSelector } from '../../../../shared/domain/matcher-selector.ts';
import type { SilencedEntry } from '../../../../shared/schemas/silenced.ts';

/** An entry whose selector is a set of matchers. */
interface Active {
  /** Increases from one entry to the next. */
  readonly number: number;
  entry: SilencedEntry;
  readonly selector: MatcherSelector;
  /** The label and value by which it is indexed; undefined: it requires no exact value of any label. */
  readonly key: readonly [label: string, value: string] | undefined;
}

/** The entries that cover a check, with the state of the check for which they were evaluated. */
export interface CoveringEntries {
  /** Number of the last entry that was evaluated. */
  last: number;
  removals: number;
  entries: readonly Active[];
  readonly facts: unknown;
  readonly clientProfile: unknown;
  readonly status: number | undefined;
  readonly naming: AlertNaming;
}

/** A check with known labels. */
export interface LabelledCheck {
  covering: CoveringEntries | undefined;
  readonly facts: unknown;
  readonly alertStatus: number | undefined;
  readonly client: { readonly profile: unknown; readonly namespace: { readonly naming: AlertNaming } };
  subject(): LabelSubject;
}

const NONE: readonly never[] = [];

/**
 * Index of the entries of one namespace whose selector is a set of matchers. Most of them are found by one label with a
 * required value, such as `instance="web-1"`. So a check is compared with few of many thousands. The others are
 * evaluated once for each check (silencing 2).
 */
export class MatcherIndex {
  readonly #active = new Map<string, Active>();
  /** Entries by label, then by value, in ascending order of their numbers. */
  readonly #byValue = new Map<string, Map<string, Active[]>>();
  readonly #withoutKey: Active[] = [];
  #last = 0;
  #removals = 0;
  #cost = 0;

  /** The total cost of all selectors, see `Selector.cost`. */
  get cost(): number {
    return this.#cost;
  }

  get isEmpty(): boolean {
    return this.#active.size === 0;
  }

  /** Yields the selectors of all entries. */
  *all(): Generator<MatcherSelector, void, undefined> {
    for (const { selector } of this.#active.values()) yield selector;
  }

  /** Adds an entry, or replaces the one with the same id. */
  put(entry: SilencedEntry, selector: MatcherSelector): void {
    const existing = this.#active.get(entry.id);
    if (existing?.selector.text === selector.text) {
      // Only its times or its reason differ.
      existing.entry = entry;
      return;
    }
    this.remove(entry.id);
    const active = { number: ++this.#last, entry, selector, key: this.#rarestKey(selector) };
    this.#active.set(entry.id, active);
    this.#cost += selector.cost;
    this.#bucketOf(active).push(active);
  }

  has(id: string): boolean {
    return this.#active.has(id);
  }

  remove(id: string): void {
    const active = this.#active.get(id);
    if (active === undefined) return;
    this.#active.delete(id);
    this.#cost -= active.selector.cost;
    const bucket = this.#bucketOf(active);
    bucket.splice(positionOf(bucket, active.number), 1);
    if (bucket.length === 0 && active.key !== undefined) this.#forgetBucket(active.key);
    this.#removals++;
  }

  /** True if `covering` has nothing left to evaluate for a check. */
  isEvaluated(check: LabelledCheck): boolean {
    if (this.#active.size === 0) return true;
    const evaluated = check.covering;
    return evaluated !== undefined && evaluated.last === this.#last && isOf(evaluated, check);
  }

  /** Returns the entries that cover a check, whether or not they are active. */
  covering(check: LabelledCheck): readonly SilencedEntry[] {
    if (this.#active.size === 0) return NONE;
    let evaluated = check.covering;
    if (evaluated === undefined || !isOf(evaluated, check)) check.covering = evaluated = this.#newEvaluation(check);
    if (evaluated.last < this.#last) {
      const entries = this.#find(check.subject(), evaluated.last);
      if (entries.length > 0) evaluated.entries = [...evaluated.entries, ...entries];
      evaluated.last = this.#last;
    }
    if (evaluated.removals !== this.#removals) {
      evaluated.removals = this.#removals;
      evaluated.entries = evaluated.entries.filter((active) => this.#active.get(active.entry.id) === active);
    }
    return evaluated.entries.length === 0 ? NONE : evaluated.entries.map(({ entry }) => entry);
  }

  /** Returns the entries that cover a subject, without caching. */
  coveringOnce(subject: LabelSubject): readonly SilencedEntry[] {
    return this.#find(subject, 0).map(({ entry }) => entry);
  }

  #newEvaluation({ facts, alertStatus: status, client }: LabelledCheck): CoveringEntries {
    const { profile: clientProfile, namespace } = client;
    const { naming } = namespace;
    return { last: 0, removals: this.#removals, entries: NONE, facts, clientProfile, status, naming };
  }

  /** @param last number of the last entry that was evaluated before */
  #find(subject: LabelSubject, last: number): Active[] {
    const entries: Active[] = [];
    const labels = labelReader(subject);
    addMatching(entries, this.#withoutKey, labels, last);
    for (const [label, byValue] of this.#byValue) {
      for (const value of new Set(labels(label))) {
        const bucket = byValue.get(value);
        if (bucket !== undefined) addMatching(entries, bucket, labels, last);
      }
    }
    return entries.toSorted((a, b) => a.number - b.number);
  }

  /** Returns the label and value with the fewest other entries so far. */
  #rarestKey(selector: MatcherSelector): Active['key'] {
    let rarest: LabelMatcher | undefined;
    let fewest = Infinity;
    for (const matcher of requiredValues(selector)) {
      const count = this.#byValue.get(matcher.name)?.get(matcher.value)?.length ?? 0;
      if (count >= fewest) continue;
      fewest = count;
      rarest = matcher;
    }
    return rarest === undefined ? undefined : [rarest.name, rarest.value];
  }

  #bucketOf({ key }: Active): Active[] {
    if (key === undefined) return this.#withoutKey;
    const [label, value] = key;
    let byValue = this.#byValue.get(label);
    if (byValue === undefined) this.#byValue.set(label, (byValue = new Map<string, Active[]>()));
    let bucket = byValue.get(value);
    if (bucket === undefined) byValue.set(value, (bucket = []));
    return bucket;
  }

  #forgetBucket([label, value]: NonNullable<Active['key']>): void {
    const byValue = this.#byValue.get(label);
    byValue?.delete(value);
    if (byValue?.size === 0) this.#byValue.delete(label);
  }
}

/** True if the cached entries were evaluated for the present state of the check. */
function isOf(evaluated: CoveringEntries, { facts, alertStatus, client }: LabelledCheck): boolean {
  return (
    evaluated.facts === facts &&
    evaluated.status === alertStatus &&
    evaluated.clientProfile === client.profile &&
    evaluated.naming === client.namespace.naming
  );
}

/** Adds the entries of a bucket that are newer than the last evaluated one and cover the event. */
function addMatching(entries: Active[], bucket: readonly Active[], labels: LabelReader, last: number): void {
  for (let at = bucket.length - 1; at >= 0; at--) {
    const active = bucket[at];
    if (active === undefined || active.number <= last) return;
    if (active.selector.covers(labels)) entries.push(active);
  }
}

/** Returns the position of the entry with this number by binary search, because numbers ascend. */
function positionOf(bucket: readonly Active[], number: number): number {
  let [start, end] = [0, bucket.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((bucket[middle]?.number ?? 0) < number) start = middle + 1;
    else end = middle;
  }
  return start;
}
