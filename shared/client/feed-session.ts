import { rowsOfColumns } from '../domain/event-columns.ts';
import type { EventRow, FeedBriefs, FeedMessage, FeedRows } from '../schemas/feed.ts';

/** The position up to which a consumer has all changes. Sequence numbers are valid only within one store. */
export interface FeedPosition {
  readonly store: string;
  readonly seq: number;
}

/** The messages that advance a session. */
export type SessionMessage = Extract<FeedMessage, { type: 'hello' | 'snapshot' | 'live' | 'changes' | 'reset' }>;

/** Metadata of received rows. */
export interface RowsMetadata {
  readonly seq: number;
  /** Whether a snapshot begins, which replaces all rows. */
  readonly replace: boolean;
  /** Epoch milliseconds on the backend's clock when the changes were sent; `undefined` for a snapshot. */
  readonly timeMs: number | undefined;
  /** Changes of events whose rows were not requested. */
  readonly brief?: FeedBriefs | undefined;
}

export type SessionOutput =
  | { readonly kind: 'nothing' }
  /** `events`: events of a snapshot that arrived in columns. */
  | {
      readonly kind: 'rows';
      readonly rows: FeedRows;
      readonly events?: readonly EventRow[] | undefined;
      readonly metadata: RowsMetadata;
    }
  | { readonly kind: 'syncing' }
  | { readonly kind: 'live'; readonly rows: FeedRows | undefined; readonly metadata: RowsMetadata }
  | { readonly kind: 'broken'; readonly reason: string };

/**
 * Phases of a session:
 *
 * - `hello`: waiting for the backend's hello
 * - `snapshot`: waiting for the first snapshot frame; `snapshot-rest`: for more of them, or `live`
 * - `catch-up`: receiving changes after the requested position, until `live`
 */
type Phase = 'hello' | 'snapshot' | 'snapshot-rest' | 'catch-up' | 'live';

/** The consumer's protocol state of one connection, without the connection itself. */
export class FeedSession {
  #phase: Phase = 'hello';
  #store = '';
  #position: FeedPosition | undefined;

  /** @param resume position that the subscription resumes from; `undefined`: it requests a snapshot */
  constructor(resume: FeedPosition | undefined) {
    this.#position = resume;
  }

  /**
   * The position from which the next connection can resume; `undefined`: with a snapshot. It advances only while live.
   * The frames of a snapshot or of a catch-up contain no consistent state, so a disconnection in between starts over.
   */
  get position(): FeedPosition | undefined {
    return this.#position;
  }

  accept(message: SessionMessage): SessionOutput {
    if (message.type === 'hello') return this.#hello(message.store);
    if (this.#phase === 'hello') return broken(`it sent ${message.type} before hello`);
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

  #hello(store: string): SessionOutput {
    if (this.#phase !== 'hello') return broken('it sent hello twice');
    this.#store = store;
    // Another store cannot know the changes since our position. It must send a reset, and no other message is accepted
    // before.
    if (this.#position !== undefined && this.#position.store !== store) this.#position = undefined;
    this.#phase = this.#position === undefined ? 'snapshot' : 'catch-up';
    return { kind: 'nothing' };
  }

  #reset(): SessionOutput {
    this.#position = undefined;
    this.#phase = 'snapshot';
    return { kind: 'syncing' };
  }

  #snapshot({ seq, rows, columns }: Extract<FeedMessage, { type: 'snapshot' }>): SessionOutput {
    if (this.#phase === 'live') return broken('it sent a snapshot without a reset');
    const events = columns && rowsOfColumns(columns.events);
    if (columns !== undefined && events === undefined) return broken('its columns do not match each other');
    const replace = this.#phase !== 'snapshot-rest';
    this.#position = undefined;
    this.#phase = 'snapshot-rest';
    return { kind: 'rows', rows, events, metadata: { seq, replace, timeMs: undefined } };
  }

  #changes({ seq, time, rows, brief }: Extract<FeedMessage, { type: 'changes' }>): SessionOutput {
    if (this.#phase === 'snapshot') return broken('it sent changes instead of a snapshot');
    if (this.#position !== undefined && seq < this.#position.seq) return broken('its sequence numbers went back');
    if (this.#phase === 'live') this.#position = { store: this.#store, seq };
    return { kind: 'rows', rows, metadata: { seq, replace: false, timeMs: time, ...(brief && { brief }) } };
  }

  #live(seq: number): SessionOutput {
    if (this.#phase === 'live') return broken('it sent live twice');
    if (this.#position !== undefined && seq < this.#position.seq) return broken('its sequence numbers went back');
    // An empty snapshot may have no frame at all; earlier rows must still be cleared.
    const isEmptySnapshot = this.#phase === 'snapshot';
    this.#phase = 'live';
    this.#position = { store: this.#store, seq };
    return {
      kind: 'live',
      rows: isEmptySnapshot ? {} : undefined,
      metadata: { seq, replace: isEmptySnapshot, timeMs: undefined },
    };
  }
}

function broken(what: string): SessionOutput {
  return { kind: 'broken', reason: `the backend violated the protocol: ${what}` };
}
