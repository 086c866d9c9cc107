import { randomBytes } from 'node:crypto';
import type { CheckEntry, CheckBaseline } from '../model/registry/namespace.ts';

/**
 * Maximum number of baselines (full results that deltas can refer to) of one connection; other checks always send full
 * results.
 */
const BASELINES_MAX = 1024;

/** Maximum number of baselines of all connections together; at the maximum they use about 70 MiB of memory. */
const ALL_BASELINES_MAX = 500_000;

const NONCE_BYTES = 9;

/**
 * Limits the number of baselines over all connections, and creates their stamps. A stamp is the unique text by which a
 * stored delta names its baseline.
 */
export class BaselineBudget {
  readonly max: number;
  used = 0;
  /** Random prefix of all stamps, so that a restarted backend never creates a stamp that it has created before. */
  readonly #nonce = randomBytes(NONCE_BYTES).toString('base64url');
  #last = 0;
  #versions: BaselineVersions = { definitions: 0, registry: 0, deletions: 0 };

  constructor(max = ALL_BASELINES_MAX) {
    this.max = max;
  }

  /**
   * Returns the given versions. If they equal those of the previous call, returns the previous object, so that nearly
   * all baselines share one object.
   */
  versions(now: BaselineVersions): BaselineVersions {
    if (!areSameVersions(this.#versions, now)) this.#versions = now;
    return this.#versions;
  }

  newStamp(): string {
    return this.#nonce + (++this.#last).toString(36);
  }
}

/**
 * Version numbers of the state that a baseline depends on. After one of them has changed, no delta can be applied to
 * the baseline.
 */
export interface BaselineVersions {
  /** The generation number of the definitions of checks and handlers. */
  readonly definitions: number;
  /** The generation number of the registry, which increases when all its entries are read again. */
  readonly registry: number;
  /** Number of aggregates that were deleted in the namespace so far. */
  readonly deletions: number;
}

function areSameVersions(one: BaselineVersions, other: BaselineVersions): boolean {
  return one.registry === other.registry && one.definitions === other.definitions && one.deletions === other.deletions;
}

/** A full OK result of a check without an open event; later delta results of the check can refer to it. */
export class Baseline implements CheckBaseline {
  isStored = false;
  /** True if a delta has changed the output in the stored result. */
  hasOtherOutput = false;
  /** Id of the full result in the spool of the agent; delta results name the baseline by this id. */
  readonly id: number;
  readonly entry: CheckEntry;
  readonly stamp: string;
  readonly signature: string;
  /**
   * True if the full result has a duration. If so, its deltas must have a duration too; if not, they must have none.
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
   * True if a delta can be applied to this baseline: it is stored, no full result has replaced it, and the versions
   * have not changed. In the batch that creates it, it is not usable yet, because the agent cannot know of it.
   */
  isUsable(now: BaselineVersions): boolean {
    return this.isStored && this.entry.baseline === this && areSameVersions(this.#versions, now);
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
   * Number of a delivery with a delta that has no usable baseline; later deliveries are ignored. Undefined if there is
   * no such delivery.
   */
  #stoppedAt: number | undefined;

  constructor(budget: BaselineBudget) {
    this.#budget = budget;
  }

  get(id: number): Baseline | undefined {
    return this.#byId.get(id);
  }

  /**
   * Makes a result of this batch the baseline of its check entry.
   *
   * @returns true if the baseline was added; false if a limit is reached or the connection has ended
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
   * Returns the number for the next delivery of this connection. Deliveries are applied in the order of these numbers.
   */
  nextSequence(): number {
    return ++this.#lastSequence;
  }

  /**
   * Makes `begin` reject all deliveries after the given one, because that one contains a delta without a usable
   * baseline.
   */
  stopAt(sequence: number): void {
    this.#stoppedAt = sequence;
  }

  /**
   * Returns whether a delivery can be applied. Call it before each attempt to apply the delivery.
   *
   * @returns true if it can be applied; false if it must be ignored, because an earlier delivery contains a delta
   *   without a usable baseline
   */
  begin(sequence: number): boolean {
    // If this or a later delivery called `stopAt` in an earlier attempt, its batch is being applied again, and can
    // succeed now.
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

  /**
   * Discards all baselines when the connection ends. Results that are still queued do not become baselines afterwards.
   */
  end(): void {
    this.clear();
    this.#isClosed = true;
  }
}
