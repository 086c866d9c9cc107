import { randomBytes } from 'node:crypto';
import type { CheckEntry, CheckBaseline } from '../model/registry/namespace.ts';

/** Most baselines of one connection; results of further checks are sent in full. */
const BASELINES_MAX = 1024;

/** Most baselines of all connections together: about 70 MiB. */
const ALL_BASELINES_MAX = 500_000;

const NONCE_BYTES = 9;

/** The limit of baselines that all connections share, and the source of their stamps. */
export class BaselineBudget {
  readonly max: number;
  used = 0;
  /** Random, so that a restarted backend never repeats a stamp. */
  readonly #nonce = randomBytes(NONCE_BYTES).toString('base64url');
  #last = 0;
  #versions: BaselineVersions = { definitions: 0, registry: 0, deletions: 0 };

  constructor(max = ALL_BASELINES_MAX) {
    this.max = max;
  }

  /** Returns the previous object if it is equal: nearly all baselines share one. */
  versions(now: BaselineVersions): BaselineVersions {
    if (!areSame(this.#versions, now)) this.#versions = now;
    return this.#versions;
  }

  newStamp(): string {
    return this.#nonce + (++this.#last).toString(36);
  }
}

/** Versions of the state that a baseline depends on: if one changes, a delta can no longer be applied to it. */
export interface BaselineVersions {
  /** The generation of the definitions of checks and handlers. */
  readonly definitions: number;
  /** The generation of the entries in memory. */
  readonly registry: number;
  /** The number of deleted aggregates of the namespace. */
  readonly deletions: number;
}

function areSame(one: BaselineVersions, other: BaselineVersions): boolean {
  return one.registry === other.registry && one.definitions === other.definitions && one.deletions === other.deletions;
}

/** A full passing result without an event, to which deltas of the same check can refer. */
export class Baseline implements CheckBaseline {
  isStored = false;
  /** True if a delta has replaced the stored output. */
  hasOtherOutput = false;
  /** Its id in the spool of the agent. */
  readonly id: number;
  readonly entry: CheckEntry;
  readonly stamp: string;
  readonly signature: string;
  /** Whether it has a duration. Its deltas have one exactly in this case. */
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

  /** Whether a delta can refer to it: not in its own batch, because the agent cannot know it yet. */
  isUsable(now: BaselineVersions): boolean {
    return this.isStored && this.entry.baseline === this && areSame(this.#versions, now);
  }

  forget(): void {
    this.#owner.delete(this.id);
  }
}

/** The baselines of one connection, bounded in number. */
export class ConnectionBaselines {
  readonly #byId = new Map<number, Baseline>();
  readonly #budget: BaselineBudget;
  #isClosed = false;
  #lastSequence = 0;
  /** The sequence of the delivery with an unusable delta; later ones are ignored. */
  #stoppedAt: number | undefined;

  constructor(budget: BaselineBudget) {
    this.#budget = budget;
  }

  get(id: number): Baseline | undefined {
    return this.#byId.get(id);
  }

  /**
   * Adds the result that an entry got in this batch.
   *
   * @returns false if the limit is reached
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

  /** Returns the sequence number of the next delivery, in the order in which deliveries are applied. */
  nextSequence(): number {
    return ++this.#lastSequence;
  }

  /** Ignores all deliveries after this one, because it contains a delta without a usable baseline. */
  stopAt(sequence: number): void {
    this.#stoppedAt = sequence;
  }

  /**
   * Must be called before a delivery is applied, also when it is applied again.
   *
   * @returns false if the delivery must be ignored, because an earlier one stopped
   */
  begin(sequence: number): boolean {
    // When a batch is applied again, each delivery decides again whether it stops.
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

  /** Discards everything when the connection ends. Its results that are still queued add no baselines. */
  end(): void {
    this.clear();
    this.#isClosed = true;
  }
}
