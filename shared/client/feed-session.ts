import { rowsOfColumns } from '../domain/event-columns.ts';
import type { ReceivedAttributes } from './received-attributes.ts';
import type { EventRow, FeedBriefs, FeedMessage, FeedRows } from '../schemas/feed.ts';

/**
 * The position in a feed up to which a consumer has received all changes. A sequence number is valid only for its
 * store.
 */
export interface FeedPosition {
  readonly store: string;
  readonly seq: number;
  /** True if the consumer has the attributes of the events. */
  readonly hasAttributes?: boolean;
}

/** The feed messages that a session processes. */
export type SessionMessage = Extract<FeedMessage, { type: 'hello' | 'snapshot' | 'live' | 'changes' | 'reset' }>;

/** The attributes of a frame with rows: its sequence number, its time, and whether it replaces earlier rows. */
export interface RowsMetadata {
  readonly seq: number;
  /** True for the first frame of a snapshot, which replaces all earlier rows. */
  readonly replace: boolean;
  /** Time at which the backend sent the changes, in epoch milliseconds on its clock; undefined for a snapshot. */
  readonly timeMs: number | undefined;
  /** Changes of events that the consumer does not receive in full. */
  readonly brief?: FeedBriefs | undefined;
}

export type SessionOutput =
  | { readonly kind: 'nothing' }
  /** Received rows. `events` are the events of a snapshot that were sent in columns. */
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
 * - `snapshot`: waiting for the first frame of a snapshot
 * - `snapshot-rest`: waiting for further frames of the snapshot, or for `live`
 * - `catch-up`: receiving the changes after the position at which the session resumes, until `live`
 * - `live`: receiving changes as they are committed
 */
type SessionPhase = 'hello' | 'snapshot' | 'snapshot-rest' | 'catch-up' | 'live';

/**
 * The consumer's side of the feed protocol for one connection: it validates the order of messages and tracks the
 * position.
 */
export class FeedSession {
  #phase: SessionPhase = 'hello';
  #store = '';
  #position: FeedPosition | undefined;
  readonly #sets: ReceivedAttributes | undefined;
  #hasAttributes = false;

  /**
   * @param resume position after which the subscription resumes; undefined to request a snapshot
   * @param sets the sets of attributes received so far; undefined if the consumer does not need attributes
   */
  constructor(resume: FeedPosition | undefined, sets?: ReceivedAttributes) {
    this.#position = resume;
    this.#sets = sets;
  }

  /** True if the consumer needs the attributes of events, and the backend sends them. */
  get hasAttributes(): boolean {
    return this.#hasAttributes;
  }

  /**
   * The position after which the next connection can resume; undefined if it must request a snapshot. The position
   * advances only when the session is live. Frames of a snapshot or of a catch-up alone are not a consistent state, so
   * after a disconnection there the next connection starts over.
   */
  get position(): FeedPosition | undefined {
    return this.#position;
  }

  accept(message: SessionMessage): SessionOutput {
    if (message.type === 'hello') return this.#hello(message);
    if (this.#phase === 'hello') return protocolViolation(`it sent ${message.type} before hello`);
    switch (message.type) {
      case 'snapshot':
        return this.#snapshot(message);
      case 'changes':
        return this.#changes(message);
      case 'live':
        return this.#goLive(message.seq);
      default:
        return this.#reset();
    }
  }

  #hello({ store, attributes = false }: Extract<SessionMessage, { type: 'hello' }>): SessionOutput {
    if (this.#phase !== 'hello') return protocolViolation('it sent hello twice');
    this.#store = store;
    this.#hasAttributes = attributes && this.#sets !== undefined;
    // Another store does not know the changes since our position. The backend must send a snapshot, and changes before
    // it are rejected. The same applies if it sends attributes but the backend before it did not.
    if (this.#position !== undefined && this.#position.store !== store) this.#position = undefined;
    if (this.#hasAttributes && this.#position?.hasAttributes !== true) this.#position = undefined;
    this.#phase = this.#position === undefined ? 'snapshot' : 'catch-up';
    return { kind: 'nothing' };
  }

  #reset(): SessionOutput {
    this.#position = undefined;
    this.#phase = 'snapshot';
    return { kind: 'syncing' };
  }

  #snapshot({ seq, rows, columns }: Extract<FeedMessage, { type: 'snapshot' }>): SessionOutput {
    if (this.#phase === 'live') return protocolViolation('it sent a snapshot without a reset');
    const events = columns && rowsOfColumns(columns.events);
    if (columns !== undefined && events === undefined) return protocolViolation('its columns do not match each other');
    const replace = this.#phase !== 'snapshot-rest';
    if (replace) this.#sets?.clear();
    this.#sets?.apply(rows);
    for (const row of events ?? []) this.#sets?.addTo(row);
    this.#position = undefined;
    this.#phase = 'snapshot-rest';
    return { kind: 'rows', rows, events, metadata: { seq, replace, timeMs: undefined } };
  }

  #changes({ seq, time, rows, brief }: Extract<FeedMessage, { type: 'changes' }>): SessionOutput {
    if (this.#phase === 'snapshot') return protocolViolation('it sent changes instead of a snapshot');
    if (this.#position !== undefined && seq < this.#position.seq)
      return protocolViolation('its sequence numbers went back');
    if (this.#phase === 'live') this.#position = this.#positionAt(seq);
    this.#sets?.apply(rows);
    return { kind: 'rows', rows, metadata: { seq, replace: false, timeMs: time, ...(brief && { brief }) } };
  }

  #goLive(seq: number): SessionOutput {
    if (this.#phase === 'live') return protocolViolation('it sent live twice');
    if (this.#position !== undefined && seq < this.#position.seq)
      return protocolViolation('its sequence numbers went back');
    // An empty snapshot can consist of no frame at all. Even then, earlier rows must be removed.
    const isEmptySnapshot = this.#phase === 'snapshot';
    this.#phase = 'live';
    this.#position = this.#positionAt(seq);
    return {
      kind: 'live',
      rows: isEmptySnapshot ? {} : undefined,
      metadata: { seq, replace: isEmptySnapshot, timeMs: undefined },
    };
  }

  #positionAt(seq: number): FeedPosition {
    return { store: this.#store, seq, ...(this.#hasAttributes && { hasAttributes: true }) };
  }
}

function protocolViolation(what: string): SessionOutput {
  return { kind: 'broken', reason: `the backend violated the protocol: ${what}` };
}
