import { randomBytes } from 'node:crypto';
import type { CheckEntry, ResultBase } from '../registry/namespace.ts';

/** Maximum number of baselines of one connection; an agent with more checks sends full results for the others. */
const BASES_MAX = 1024;

/** Maximum number of baselines of all connections together: some 70 MiB. */
const ALL_BASES_MAX = 500_000;

const NONCE_BYTES = 9;

/** The budget and the stamps that all connections share. */
export class BaseRoom {
  readonly max: number;
  taken = 0;
  /** Makes the stamps unique across restarts of this program. */
  readonly #nonce = randomBytes(NONCE_BYTES).toString('base64url');
  #last = 0;
  #circumstances: BaseCircumstances = { definitions: 0, registry: 0, deletions: 0 };

  constructor(max = ALL_BASES_MAX) {
    this.max = max;
  }

  /** Returns the shared object if it is equal, because nearly all baselines have the same circumstances. */
  circumstances(now: BaseCircumstances): BaseCircumstances {
    if (!areSame(this.#circumstances, now)) this.#circumstances = now;
    return this.#circumstances;
  }

  newStamp(): string {
    return this.#nonce + (++this.#last).toString(36);
  }
}

/** The state when a baseline was recorded. If any of it changes, a similar result may have other effects. */
export interface BaseCircumstances {
  /** Generation of the definitions of checks and handlers. */
  readonly definitions: number;
  /** Generation of the entries in memory. */
  readonly registry: number;
  /** Number of deleted aggregates of the namespace. */
  readonly deletions: number;
}

function areSame(one: BaseCircumstances, other: BaseCircumstances): boolean {
  return one.registry === other.registry && one.definitions === other.definitions && one.deletions === other.deletions;
}

/** A full OK result without an event, which serves as a baseline for delta results of its check. */
export class ShortenedResult implements ResultBase {
  isStored = false;
  /** True if its stored body may have another output by now. */
  hasOtherOutput = false;
  /** Id in the agent's spool. */
  readonly id: number;
  readonly entry: CheckEntry;
  readonly stamp: string;
  readonly signature: string;
  /** True if it has a duration: then each of its delta results has one, otherwise none has. */
  readonly hasDuration: boolean;
  readonly #circumstances: BaseCircumstances;
  readonly #owner: ResultBases;

  constructor(
    owner: ResultBases,
    about: Pick<ShortenedResult, 'id' | 'entry' | 'stamp' | 'signature' | 'hasDuration'>,
    circumstances: BaseCircumstances,
  ) {
    this.id = about.id;
    this.entry = about.entry;
    this.stamp = about.stamp;
    this.signature = about.signature;
    this.hasDuration = about.hasDuration;
    this.#circumstances = circumstances;
    this.#owner = owner;
  }

  /** True if the next result of its check may refer to it: not within its own batch. */
  isGood(now: BaseCircumstances): boolean {
    return this.isStored && this.entry.base === this && areSame(this.#circumstances, now);
  }

  forget(): void {
    this.#owner.delete(this.id);
  }
}

/** The baselines of one connection. Bounded. */
export class ResultBases {
  readonly #byId = new Map<number, ShortenedResult>();
  readonly #room: BaseRoom;
  #isOver = false;
  #lastTurn = 0;
  #cutTurn: number | undefined;

  constructor(room: BaseRoom) {
    this.#room = room;
  }

  get(id: number): ShortenedResult | undefined {
    return this.#byId.get(id);
  }

  /**
   * Adds the result that an entry has got in this batch.
   *
   * @returns true if it fits into the budget
   */
  add(
    about: Pick<ShortenedResult, 'id' | 'entry' | 'signature' | 'hasDuration'>,
    circumstances: BaseCircumstances,
  ): boolean {
    if (this.#isOver || this.#byId.size >= BASES_MAX || this.#room.taken >= this.#room.max) return false;
    const stamp = this.#room.newStamp();
    const base = new ShortenedResult(this, { ...about, stamp }, this.#room.circumstances(circumstances));
    this.delete(about.id);
    this.#byId.set(about.id, base);
    this.#room.taken++;
    about.entry.base = base;
    return true;
  }

  /** Returns the number of the next delivery, in the order of their application. */
  newTurn(): number {
    return ++this.#lastTurn;
  }

  /** Rejects everything from a result of this delivery on, because its baseline is invalid. */
  cut(turn: number): void {
    this.#cutTurn = turn;
  }

  /**
   * Called before a delivery is applied, each time.
   *
   * @returns false if it must be skipped, because an earlier one was cut
   */
  begin(turn: number): boolean {
    // The batch is applied again, so the cut is determined anew: earlier deliveries must be included.
    if (this.#cutTurn !== undefined && turn <= this.#cutTurn) this.#cutTurn = undefined;
    return this.#cutTurn === undefined;
  }

  delete(id: number): void {
    if (this.#byId.delete(id)) this.#room.taken--;
  }

  clear(): void {
    for (const base of this.#byId.values()) if (base.entry.base === base) base.entry.base = undefined;
    this.#room.taken -= this.#byId.size;
    this.#byId.clear();
  }

  /** Ends the connection; its deliveries in the queue add no baselines. */
  end(): void {
    this.clear();
    this.#isOver = true;
  }
}
