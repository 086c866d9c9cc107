import { randomBytes } from 'node:crypto';
import type { CheckEntry, CheckBaseline } from '../model/registry/namespace.ts';

/** Maximum number of baselines of one connection; results of further checks are always sent in full. */
const BASELINES_MAX = 1024;

/** Maximum number of baselines of all connections together, which use about 70 MiB of memory. */
const ALL_BASELINES_MAX = 500_000;

const NONCE_BYTES = 9;

/** Limits the number of baselines over all connections, and creates the stamp by which a delta names its baseline. */
export class BaselineBudget {
  readonly max: number;
  used = 0;
  /** Random beginning of all stamps, so that a restarted backend never repeats a stamp. */
  readonly #nonce = randomBytes(NONCE_BYTES).toString('base64url');
  #last = 0;
  #versions: BaselineVersions = { definitions: 0, registry: 0, deletions: 0 };

  constructor(max = ALL_BASELINES_MAX) {
    this.max = max;
  }

  /**
   * Returns the object of the previous call if it has the same versions, so that nearly all baselines share one object.
   */
  versions(now: BaselineVersions): BaselineVersions {
    if (!areSame(this.#versions, now)) this.#versions = now;
    return this.#versions;
  }

  newStamp(): string {
    return this.#nonce + (++this.#last).toString(36);
  }
}

/**
 * Versions of the state that a baseline depends on: after one of them changes, no delta can be applied to the baseline.
 */
export interface BaselineVersions {
  /** The generation of the definitions of checks and handlers. */
  readonly definitions: number;
  /** The generation of the registry, which increases when all its entries are read again. */
  readonly registry: number;
  /** Number of aggregates of the namespace that were deleted so far. */
  readonly deletions: number;
}

function areSame(one: BaselineVersions, other: BaselineVersions): boolean {
  return one.registry === other.registry && one.definitions === other.definitions && one.deletions === other.deletions;
}

/** A full OK result of a check without an open event. Delta results of the same check can refer to it. */
export class Baseline implements CheckBaseline {
  isStored = false;
  /** True if a delta has replaced the output in the stored result. */
  hasOtherOutput = false;
  /** Id of the full result in the spool of the agent; deltas refer to the baseline by this id. */
  readonly id: number;
  readonly entry: CheckEntry;
  readonly stamp: string;
  readonly signature: string;
  /**
   * True if the full result has a duration. Then its deltas must have a duration too; otherwise they must have none.
   */
  readonly hasDuration: boolean;
  readonly #versions: BaselineVersions;
  readonly #owner: ConnectionBaselines;

  constructor(
    owner: ConnectionBaselines,
    fields: Pick<Baseline, 'id' | 'entry' | 'stamp' | 'signature' | 'hasDuration'>,
    versions: BaselineVersions,
  ) {
    this.id = fields.id;
    this.entry = fields.entry;
    this.stamp = fields.stamp;
    this.signature = fields.signature;
    this.hasDuration = fields.hasDuration;
    this.#versions = versions;
    this.#owner = owner;
  }

  /**
   * True if a delta can be applied to this baseline: it is stored, no full result has replaced it, and the versions are
   * the same. It is unusable in its own batch, because the agent cannot know it yet.
   */
  isUsable(now: BaselineVersions): boolean {
    return this.isStored && this.entry.baseline === this && areSame(this.#versions, now);
  }

  forget(): void {
    this.#owner.delete(this.id);
  }
}

/** The baselines of one connection, up to a maximum number. */
export class ConnectionBaselines {
  readonly #byId = new Map<number, Baseline>();
  readonly #budget: BaselineBudget;
  #isClosed = false;
  #lastSequence = 0;
  /**
   * Number of the delivery that contains a delta without a usable baseline, so that later deliveries are ignored;
   * undefined if there is none.
   */
  #stoppedAt: number | undefined;

  constructor(budget: BaselineBudget) {
    this.#budget = budget;
  }

  get(id: number): Baseline | undefined {
    return this.#byId.get(id);
  }

  /**
   * Makes the result that an entry got in this batch a baseline.
   *
   * @returns false if a limit is reached or the connection has ended
   */
  add(fields: Pick<Baseline, 'id' | 'entry' | 'signature' | 'hasDuration'>, versions: BaselineVersions): boolean {
    if (this.#isClosed || this.#byId.size >= BASELINES_MAX || this.#budget.used >= this.#budget.max) return false;
    const stamp = this.#budget.newStamp();
    const baseline = new Baseline(this, { ...fields, stamp }, this.#budget.versions(versions));
    this.delete(fields.id);
    this.#byId.set(fields.id, baseline);
    this.#budget.used++;
    fields.entry.baseline = baseline;
    return true;
  }

  /**
   * Returns the number for the next delivery of this connection. Deliveries are applied in the order of their numbers.
   */
  nextSequence(): number {
    return ++this.#lastSequence;
  }

  /** Makes `begin` reject all deliveries after this one, because it contains a delta without a usable baseline. */
  stopAt(sequence: number): void {
    this.#stoppedAt = sequence;
  }

  /**
   * Returns whether a delivery may be applied. Must be called before each attempt to apply it.
   *
   * @returns false if the delivery must be ignored, because an earlier one contains a delta without a usable baseline
   */
  begin(sequence: number): boolean {
    // If this or a later delivery called `stopAt` in an earlier attempt, its batch is applied again, and may succeed
    // now.
    if (this.#stoppedAt !== undefined && sequence <= this.#stoppedAt) this.#stoppedAt = undefined;
    return this.#stoppedAt === undefined;
  }

  delete(id: number): void {
    if (this.#byId.delete(id)) this.#budget.used--;
  }

  clear(): void {
    for (const baseline of this.#byId.values())
      if (baseline.entry.baseline === baseline) baseline.entry.baseline = undefined;
    this.#budget.used -= this.#byId.size;
    this.#byId.clear();
  }

  /** Discards all baselines when the connection ends. Results that are still queued then become no baselines. */
  end(): void {
    this.clear();
    this.#isClosed = true;
  }
}
