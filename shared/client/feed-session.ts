import { rowsOfColumns } from '../domain/event-columns.ts';
import type { EventRow, FeedBriefs, FeedMessage, FeedRows } from '../schemas/feed.ts';

/** Up to where a consumer has everything: sequence numbers mean something only within one store. */
export interface FeedPosition {
  readonly store: string;
  readonly seq: number;
}

/** The frames that move a session on. */
export type SessionMessage = Extract<FeedMessage, { type: 'hello' | 'snapshot' | 'live' | 'changes' | 'reset' }>;

/** What came with rows. */
export interface RowsAbout {
  readonly seq: number;
  /** A snapshot begins: everything that is held counts no more. */
  readonly replace: boolean;
  /** Epoch milliseconds on the backend's clock when the changes left; `undefined` for a snapshot. */
  readonly timeMs: number | undefined;
  /** What changed of events whose rows were not asked for. */
  readonly brief?: FeedBriefs | undefined;
}

export type Delivery =
  | { readonly kind: 'nothing' }
  /** `events`: those of a snapshot in columns. */
  | {
      readonly kind: 'rows';
      readonly rows: FeedRows;
      readonly events?: readonly EventRow[] | undefined;
      readonly about: RowsAbout;
    }
  | { readonly kind: 'syncing' }
  | { readonly kind: 'live'; readonly rows: FeedRows | undefined; readonly about: RowsAbout }
  | { readonly kind: 'broken'; readonly reason: string };

/**
 * - `hello`: the backend has not said who it is
 * - `snapshot`: the first snapshot frame is due; `snapshot-rest`: more of them, or `live`
 * - `catch-up`: changes after the position that was asked for, until `live`
 */
type Phase = 'hello' | 'snapshot' | 'snapshot-rest' | 'catch-up' | 'live';

/** The consumer's side of one connection's conversation, without the connection. */
export class FeedSession {
  #phase: Phase = 'hello';
  #store = '';
  #position: FeedPosition | undefined;

  /** @param resume what the subscription asked to go on from; `undefined`: it asked for a snapshot */
  constructor(resume: FeedPosition | undefined) {
    this.#position = resume;
  }

  /**
   * Where the next connection can go on. It moves only while live: the frames of a snapshot or of a catch-up hold the
   * state of no single moment, so a cut among them starts over. `undefined`: with a snapshot.
   */
  get position(): FeedPosition | undefined {
    return this.#position;
  }

  accept(message: SessionMessage): Delivery {
    if (message.type === 'hello') return this.#hello(message.store);
    if (this.#phase === 'hello') return broken(`it said ${message.type} before hello`);
    switch (message.type) {
      case 'snapshot':
        return this.#snapshot(message);
      case 'changes':
        return this.#changes(message);
      case 'live':
        return this.#live(message.seq);
      default:
        return this.#reset();
    }
  }

  #hello(store: string): Delivery {
    if (this.#phase !== 'hello') return broken('it said hello twice');
    this.#store = store;
    // Another store cannot know what changed since ours: it has to reset, and nothing else is believed until it does.
    if (this.#position !== undefined && this.#position.store !== store) this.#position = undefined;
    this.#phase = this.#position === undefined ? 'snapshot' : 'catch-up';
    return { kind: 'nothing' };
  }

  #reset(): Delivery {
    this.#position = undefined;
    this.#phase = 'snapshot';
    return { kind: 'syncing' };
  }

  #snapshot({ seq, rows, columns }: Extract<FeedMessage, { type: 'snapshot' }>): Delivery {
    if (this.#phase === 'live') return broken('it sent a snapshot without a reset');
    const events = columns && rowsOfColumns(columns.events);
    if (columns !== undefined && events === undefined) return broken('its columns do not belong together');
    const replace = this.#phase !== 'snapshot-rest';
    this.#position = undefined;
    this.#phase = 'snapshot-rest';
    return { kind: 'rows', rows, events, about: { seq, replace, timeMs: undefined } };
  }

  #changes({ seq, time, rows, brief }: Extract<FeedMessage, { type: 'changes' }>): Delivery {
    if (this.#phase === 'snapshot') return broken('it sent changes where a snapshot was due');
    if (this.#position !== undefined && seq < this.#position.seq) return broken('its sequence numbers went back');
    if (this.#phase === 'live') this.#position = { store: this.#store, seq };
    return { kind: 'rows', rows, about: { seq, replace: false, timeMs: time, ...(brief && { brief }) } };
  }

  #live(seq: number): Delivery {
    if (this.#phase === 'live') return broken('it said live twice');
    if (this.#position !== undefined && seq < this.#position.seq) return broken('its sequence numbers went back');
    // A snapshot of nothing may have no frame at all; what was held before is gone all the same.
    const isEmptySnapshot = this.#phase === 'snapshot';
    this.#phase = 'live';
    this.#position = { store: this.#store, seq };
    return {
      kind: 'live',
      rows: isEmptySnapshot ? {} : undefined,
      about: { seq, replace: isEmptySnapshot, timeMs: undefined },
    };
  }
}

function broken(what: string): Delivery {
  return { kind: 'broken', reason: `the backend broke the protocol: ${what}` };
}
