import {
  labelReader,
  type AlertNaming,
  type LabelReader,
  type LabelSubject,
} from '../../../../shared/domain/alert-labels.ts';
import type { LabelMatcher } from '../../../../shared/domain/label-matchers.ts';
import { requiredValues, type MatcherSelector } from '../../../../shared/domain/matcher-selector.ts';
import type { SilencedEntry } from '../../../../shared/schemas/silenced.ts';

/** A silence in the index; its selector is a set of label matchers. */
interface ActiveMatcher {
  /** Sequence number in the order in which the silences were added. */
  readonly number: number;
  entry: SilencedEntry;
  readonly selector: MatcherSelector;
  /** The label and value that the silence is indexed by; undefined if none of its matchers requires an exact value. */
  readonly key: readonly [label: string, value: string] | undefined;
}

/** Cache of the silences that match a check, with the attributes of the check when they were computed. */
export interface CoveringEntries {
  /** Sequence number of the newest silence that was evaluated for the check. */
  last: number;
  removals: number;
  entries: readonly ActiveMatcher[];
  readonly selectorAttributes: unknown;
  readonly clientProfile: unknown;
  readonly status: number | undefined;
  readonly naming: AlertNaming;
}

/** A check on a client, with everything that its labels depend on, and with its cached silences. */
export interface LabelledCheck {
  covering: CoveringEntries | undefined;
  readonly selectorAttributes: unknown;
  readonly alertStatus: number | undefined;
  readonly client: { readonly profile: unknown; readonly namespace: { readonly naming: AlertNaming } };
  subject(): LabelSubject;
}

const NO_ENTRIES: readonly never[] = [];

/**
 * Index of the silences of one namespace whose selector is a set of label matchers. A silence is indexed by a label
 * value that it requires, such as `instance="web-1"`. So a check is compared with only a few of many thousand silences.
 * A silence without a required value is compared once with every check (silencing 2).
 */
export class MatcherIndex {
  readonly #active = new Map<string, ActiveMatcher>();
  /** Silences by a label and value that they require. Each list is in the order of sequence numbers. */
  readonly #byValue = new Map<string, Map<string, ActiveMatcher[]>>();
  readonly #withoutKey: ActiveMatcher[] = [];
  #last = 0;
  #removals = 0;
  #cost = 0;

  /** Sum of the evaluation costs of all selectors, see `Selector.cost`. */
  get cost(): number {
    return this.#cost;
  }

  get isEmpty(): boolean {
    return this.#active.size === 0;
  }

  /** Yields the selector of each silence in the index. */
  *all(): Generator<MatcherSelector, void, undefined> {
    for (const { selector } of this.#active.values()) yield selector;
  }

  /** Adds a silence, or replaces the silence with the same id. */
  put(entry: SilencedEntry, selector: MatcherSelector): void {
    const existing = this.#active.get(entry.id);
    if (existing?.selector.text === selector.text) {
      // The selector is unchanged, so cached evaluations stay valid. Only attributes such as the end or the reason
      // differ.
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

  /** True if the cache of a check is up to date, so that `covering` need not evaluate a selector. */
  isEvaluated(check: LabelledCheck): boolean {
    if (this.#active.size === 0) return true;
    const evaluated = check.covering;
    return evaluated !== undefined && evaluated.last === this.#last && isCurrentFor(evaluated, check);
  }

  /**
   * Returns the silences whose matchers match a check, even if they are pending or expired. The result is cached in the
   * check.
   */
  covering(check: LabelledCheck): readonly SilencedEntry[] {
    if (this.#active.size === 0) return NO_ENTRIES;
    let evaluated = check.covering;
    if (evaluated === undefined || !isCurrentFor(evaluated, check))
      check.covering = evaluated = this.#newEvaluation(check);
    if (evaluated.last < this.#last) {
      const entries = this.#find(check.subject(), evaluated.last);
      if (entries.length > 0) evaluated.entries = [...evaluated.entries, ...entries];
      evaluated.last = this.#last;
    }
    if (evaluated.removals !== this.#removals) {
      evaluated.removals = this.#removals;
      evaluated.entries = evaluated.entries.filter((active) => this.#active.get(active.entry.id) === active);
    }
    return evaluated.entries.length === 0 ? NO_ENTRIES : evaluated.entries.map(({ entry }) => entry);
  }

  /** Returns the silences whose matchers match these labels, even if they are pending or expired. Nothing is cached. */
  coveringOnce(subject: LabelSubject): readonly SilencedEntry[] {
    return this.#find(subject, 0).map(({ entry }) => entry);
  }

  #newEvaluation({ selectorAttributes, alertStatus: status, client }: LabelledCheck): CoveringEntries {
    const { profile: clientProfile, namespace } = client;
    const { naming } = namespace;
    return {
      last: 0,
      removals: this.#removals,
      entries: NO_ENTRIES,
      selectorAttributes,
      clientProfile,
      status,
      naming,
    };
  }

  /**
   * Returns the silences whose matchers match these labels, in the order of sequence numbers.
   *
   * @param last sequence number after which silences are evaluated; 0 for all silences
   */
  #find(subject: LabelSubject, last: number): ActiveMatcher[] {
    const entries: ActiveMatcher[] = [];
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

  /**
   * Returns the required label value that the fewest silences are indexed by so far; undefined if the selector requires
   * no exact value.
   */
  #rarestKey(selector: MatcherSelector): ActiveMatcher['key'] {
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

  #bucketOf({ key }: ActiveMatcher): ActiveMatcher[] {
    if (key === undefined) return this.#withoutKey;
    const [label, value] = key;
    let byValue = this.#byValue.get(label);
    if (byValue === undefined) this.#byValue.set(label, (byValue = new Map<string, ActiveMatcher[]>()));
    let bucket = byValue.get(value);
    if (bucket === undefined) byValue.set(value, (bucket = []));
    return bucket;
  }

  #forgetBucket([label, value]: NonNullable<ActiveMatcher['key']>): void {
    const byValue = this.#byValue.get(label);
    byValue?.delete(value);
    if (byValue?.size === 0) this.#byValue.delete(label);
  }
}

/** True if the cached silences were computed for the current attributes of the check. */
function isCurrentFor(evaluated: CoveringEntries, { selectorAttributes, alertStatus, client }: LabelledCheck): boolean {
  return (
    evaluated.selectorAttributes === selectorAttributes &&
    evaluated.status === alertStatus &&
    evaluated.clientProfile === client.profile &&
    evaluated.naming === client.namespace.naming
  );
}

/**
 * Appends to `entries` the silences of a bucket that were added after the sequence number `last` and whose matchers
 * match the labels.
 */
function addMatching(
  entries: ActiveMatcher[],
  bucket: readonly ActiveMatcher[],
  labels: LabelReader,
  last: number,
): void {
  for (let at = bucket.length - 1; at >= 0; at--) {
    const active = bucket[at];
    if (active === undefined || active.number <= last) return;
    if (active.selector.covers(labels)) entries.push(active);
  }
}

/** Returns the position of a silence in a bucket by binary search; the bucket is sorted by sequence number. */
function positionOf(bucket: readonly ActiveMatcher[], number: number): number {
  let [start, end] = [0, bucket.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((bucket[middle]?.number ?? 0) < number) start = middle + 1;
    else end = middle;
  }
  return start;
}
