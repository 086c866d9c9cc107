import { randomBytes } from 'node:crypto';
import type { CheckEntry, ResultBase } from '../registry/namespace.ts';

/** Of one connection; an agent with more checks than that has the others' results sent whole. */
const BASES_MAX = 1024;

/** Of all connections together: some 70 MiB. */
const ALL_BASES_MAX = 500_000;

const NONCE_BYTES = 9;

/** What all connections share: room for bases, and their stamps. */
export class BaseRoom {
  readonly max: number;
  taken = 0;
  /** So that no stamp of another life of this program is ever given again. */
  readonly #nonce = randomBytes(NONCE_BYTES).toString('base64url');
  #last = 0;
  #circumstances: BaseCircumstances = { definitions: 0, registry: 0, deletions: 0 };

  constructor(max = ALL_BASES_MAX) {
    this.max = max;
  }

  /** The last ones again where they are the same: those of nearly all bases are. */
  circumstances(now: BaseCircumstances): BaseCircumstances {
    if (!areSame(this.#circumstances, now)) this.#circumstances = now;
    return this.#circumstances;
  }

  newStamp(): string {
    return this.#nonce + (++this.#last).toString(36);
  }
}

/** How things stood when a base was taken: with anything else of it, another result may come to something else. */
export interface BaseCircumstances {
  /** Of the definitions of checks and handlers. */
  readonly definitions: number;
  /** Of the entries in memory. */
  readonly registry: number;
  /** How many aggregates of the namespace had been deleted. */
  readonly deletions: number;
}

function areSame(one: BaseCircumstances, other: BaseCircumstances): boolean {
  return one.registry === other.registry && one.definitions === other.definitions && one.deletions === other.deletions;
}

/** A whole passing result that opened nothing, by which an agent may tell the next ones of its check. */
export class ShortenedResult implements ResultBase {
  isStored = false;
  /** Whether what is stored of it may have got another output. */
  hasOtherOutput = false;
  /** In the agent's spool. */
  readonly id: number;
  readonly entry: CheckEntry;
  readonly stamp: string;
  readonly signature: string;
  /** Whether it has a duration: then each short result has one too, and otherwise none has. */
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

  /** Whether the next result of its check may go on from it: not in the batch that it came with itself. */
  isGood(now: BaseCircumstances): boolean {
    return this.isStored && this.entry.base === this && areSame(this.#circumstances, now);
  }

  forget(): void {
    this.#owner.delete(this.id);
  }
}

/** What a backend remembers of one connection, so that its agent need not tell it again. Bounded. */
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
   * Takes the result that an entry has got in this batch.
   *
   * @returns whether there was room for it
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

  /** Of the next delivery, in the order in which they are applied. */
  newTurn(): number {
    return ++this.#lastTurn;
  }

  /** From a result of the delivery of this turn on nothing is taken: it could not go on from its base. */
  cut(turn: number): void {
    this.#cutTurn = turn;
  }

  /**
   * To be told before a delivery is applied, each time that it is.
   *
   * @returns false: it is left out, because one before it was cut
   */
  begin(turn: number): boolean {
    // The batch is applied again, and whether this one is cut is found anew: those before it have to be in it.
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

  /** The connection has ended; what is left of it in the queue adds nothing. */
  end(): void {
    this.clear();
    this.#isOver = true;
  }
}
