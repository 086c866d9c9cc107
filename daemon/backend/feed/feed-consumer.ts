import type { RawData, WebSocket } from 'ws';
import { MonError } from '../../../shared/errors.ts';
import { parseJsonStripped } from '../../../shared/domain/json.ts';
import { feedRequestSchema, type FeedRequest } from '../../../shared/schemas/feed-request.ts';
import { snapshotInColumns } from '../../../shared/domain/event-columns.ts';
import { FEED_HEARTBEAT_SECONDS, type FeedMessage } from '../../../shared/schemas/feed.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import type { Change } from '../ports.ts';
import type { Principal } from '../access/principal.ts';
import { BriefEvents } from './brief-events.ts';
import { RowSelection } from './row-selection.ts';
import { FeedReach, storeIdFor } from './feed-reach.ts';
import { changedRows, snapshotRows, type TopicRow } from './topic-rows.ts';
import { TransportSubscription } from './transport-tap.ts';
import type { FeedDependencies } from './feed-dependencies.ts';

/** Maximum number of unsent bytes for one consumer. At the limit the consumer gets no frames until it has read some. */
const BUFFERED_BYTES_MAX = 1024 * 1024;
/** A consumer whose send buffer stays full for this long is disconnected; it can reconnect and resume. */
const STALLED_MS_MAX = 30_000;
/**
 * Maximum number of rows in one frame. Building such a frame takes too little time to delay results, and the frame is
 * far smaller than the largest frame that a consumer accepts.
 */
const FRAME_ROWS = 2000;
/** The reason of a reset if a consumer cannot resume. */
const NOT_AVAILABLE = 'the changes since then are not available, a full snapshot follows';
/** Maximum number of missed changes for which the changed rows are sent. Above it, a whole snapshot is faster. */
const CATCH_UP_MAX = 50_000;

/**
 * Number of unsent changes at which the backend sends them even if the pace of a consumer (its minimum time between two
 * frames) would still delay them. Otherwise the consumer could fall so far behind that it needs a new snapshot.
 */
const PACED_CHANGES_MAX = CATCH_UP_MAX / 5;

/**
 * Maximum time in milliseconds that a follower waits for the write from which a consumer resumes. A consumer that was
 * connected to another member is often a few writes ahead of the follower.
 */
const AWAITED_MS_MAX = 5000;

const POLICY_VIOLATION = 1008;

/** The server side of one feed connection, whose protocol is described in `schemas/feed.ts`. */
export class FeedConsumer {
  readonly #socket: WebSocket;
  readonly #dependencies: FeedDependencies;
  readonly #principal: Principal;
  readonly #storeId: string;
  #selection: RowSelection | undefined;
  #transports: TransportSubscription | undefined;
  /**
   * Sequence number up to which all changes were sent, some perhaps in brief. Rows that `#snapshot` has not yielded yet
   * are still to be sent.
   */
  #seq = 0;
  /** Sequence number up to which the consumer has all rows in full. The consumer resumes from this number. */
  #fullSeq = 0;
  readonly #brief = new BriefEvents();
  #snapshot: Generator<TopicRow, void, undefined> | undefined;
  /** True if the consumer requested the events of snapshots in columns. */
  #takesColumns = false;
  /** Changed rows that did not fit into the last frame; a single silence can change the rows of all events. */
  #changes: { readonly rows: Iterator<TopicRow>; readonly seq: number } | undefined;
  /**
   * The write from which the consumer resumes, while it is not in the memory of this follower yet, and the time on the
   * monotonic clock until which it is awaited.
   */
  #awaited: { readonly seq: number; readonly untilMs: number } | undefined;
  #isLive = false;
  /**
   * The minimum time between two frames of changes that the consumer requested. It applies once the consumer is live.
   */
  #paceMs = 0;
  /** Time of the last frame of changes, on the monotonic clock. */
  #sentMs = -Infinity;
  /** Generation of the registry from which the rows were read. If it changes, the consumer gets a new snapshot. */
  #generation = 0;
  /** Revision of the definitions from which the rows were derived. If it changes, the consumer gets a new snapshot. */
  #revision = '';
  #receivedMs: number;
  #writableMs: number;
  /** Time on the monotonic clock when the consumer was last up to date. */
  #currentMs: number;

  constructor(socket: WebSocket, principal: Principal, dependencies: FeedDependencies, onClose: () => void) {
    this.#socket = socket;
    this.#principal = principal;
    this.#dependencies = dependencies;
    this.#storeId = storeIdFor(principal, dependencies.storeId);
    this.#receivedMs = this.#writableMs = this.#currentMs = dependencies.clock.monotonic();
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('close', onClose);
    socket.on('error', (error) => dependencies.log.debug({ err: error }, 'live feed connection failed'));
  }

  /**
   * Milliseconds since the consumer was last up to date, minus the delay that its pace allows. 0 while it is up to
   * date, and before it has subscribed.
   */
  get lagMs(): number {
    const isCurrent =
      this.#selection === undefined || (this.#isLive && this.#seq === this.#dependencies.changes.lastSeq);
    return isCurrent ? 0 : Math.max(0, this.#dependencies.clock.monotonic() - this.#currentMs - this.#paceMs);
  }

  /** Sends `hello`, the first message to a consumer. */
  greet(): void {
    const { clock, name, isShared } = this.#dependencies;
    this.send({
      type: 'hello',
      version: VERSION,
      store: this.#storeId,
      name,
      time: clock.now(),
      pace: true,
      brief: true,
      columns: true,
      attributes: true,
      ...(isShared === true && { shared: true }),
    });
  }

  send(message: FeedMessage): void {
    this.#sendText(JSON.stringify(message));
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** @param namespace namespace of the event for which the transport handler was called */
  wantsTransport(name: string, namespace: string): boolean {
    return this.#selection?.reach.includes(namespace) === true && this.#transports?.wants(name) === true;
  }

  /** @param frame message of a transport, already encoded as the JSON text of a frame */
  sendTransportMessage(transport: string, frame: string): void {
    this.#transports?.passOn(transport, frame);
  }

  /** Called once a second. Sends statistics to a live consumer and a ping to an idle one; closes a dead connection. */
  beat(statsOf: (reach: FeedReach) => FeedMessage): void {
    const idleSeconds = (this.#dependencies.clock.monotonic() - this.#receivedMs) / 1000;
    if (idleSeconds > 3 * FEED_HEARTBEAT_SECONDS) {
      this.#socket.terminate();
      return;
    }
    if (idleSeconds >= FEED_HEARTBEAT_SECONDS) this.send({ type: 'ping' });
    this.#transports?.reportMissed();
    if (this.#isLive && this.#selection !== undefined && this.#canSend()) this.send(statsOf(this.#selection.reach));
  }

  /**
   * Sends the changes since the last call, or the next frame of the snapshot. Must only be called while the registry
   * equals the store.
   *
   * @param frames frames that consumers share in this round, keyed by sequence number, namespaces and topics
   * @returns true if more rows are ready to be sent
   */
  advance(frames: Map<string, string>): boolean {
    const selection = this.#selection;
    if (selection === undefined || !this.#canSend()) return false;
    const { changes, registry } = this.#dependencies;
    if (selection.topics.length === 0) {
      // A consumer that subscribes only to transports gets no rows, so it is always up to date.
      this.#seq = this.#fullSeq = changes.lastSeq;
      this.#goLive();
      return false;
    }
    if (this.#isAwaiting(selection)) return false;
    if (this.#generation !== registry.generation) {
      this.#reset(selection, 'the backend reloaded its state');
    } else if (this.#revision !== selection.revision(registry)) {
      this.#reset(selection, 'the configuration has changed');
    } else if (this.#snapshot === undefined && !this.#canCatchUp(this.#seq, selection)) {
      this.#reset(selection, 'the changes since then are too many or were deleted');
    }
    if (this.#snapshot !== undefined) {
      this.#sendSnapshotPart(selection, this.#snapshot);
      return true;
    }
    if (this.#isTooEarly(selection)) return false;
    if (this.#seq !== changes.lastSeq || this.#brief.isDue) this.#sendChanges(selection, frames);
    if (this.#changes !== undefined) return true;
    this.#goLive();
    return false;
  }

  /** True if the pace of the consumer delays the unsent changes. Rows left over from the last frame are not delayed. */
  #isTooEarly({ reach }: RowSelection): boolean {
    const { changes, clock } = this.#dependencies;
    if (this.#paceMs === 0 || !this.#isLive || this.#changes !== undefined) return false;
    if (this.#brief.isDue || this.#seq === changes.lastSeq) return false;
    return clock.monotonic() - this.#sentMs < this.#paceMs && changes.countAfter(this.#seq, reach) < PACED_CHANGES_MAX;
  }

  /** Records that the consumer is up to date now. Sends `live` if it was not yet up to date since its last snapshot. */
  #goLive(): void {
    this.#currentMs = this.#dependencies.clock.monotonic();
    if (this.#isLive) return;
    this.#isLive = true;
    this.send({ type: 'live', seq: this.#fullSeq });
  }

  /** True if all changes after `seq` are in the change log, and are few enough to be sent without a snapshot. */
  #canCatchUp(seq: number, { reach }: RowSelection): boolean {
    const { changes } = this.#dependencies;
    return changes.hasAllAfter(seq) && changes.countAfter(seq, reach) <= CATCH_UP_MAX;
  }

  #canSend(): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    const nowMs = this.#dependencies.clock.monotonic();
    if (this.#socket.bufferedAmount < BUFFERED_BYTES_MAX) {
      this.#writableMs = nowMs;
      return true;
    }
    if (nowMs - this.#writableMs > STALLED_MS_MAX) this.#socket.terminate();
    return false;
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#receivedMs = this.#dependencies.clock.monotonic();
    try {
      if (isBinary) throw new MonError('invalid', 'WebSocket frames must be text frames with JSON, not binary');
      const request = feedRequestSchema.safeParse(parseJsonStripped((data as Buffer).toString()));
      if (!request.success) throw new MonError('invalid', problemsOf(request.error));
      if (request.data.type === 'ping') this.send({ type: 'pong' });
      else if (request.data.type === 'pace') this.#takePace(request.data);
      else if (request.data.type === 'subscribe') this.#subscribe(request.data);
    } catch (error) {
      this.#refuse(
        error instanceof SyntaxError ? new MonError('invalid', 'WebSocket frames must contain valid JSON') : error,
      );
    }
  }

  #takePace({ ms, full }: Extract<FeedRequest, { type: 'pace' }>): void {
    this.#paceMs = ms;
    this.#brief.requestInFull(full);
  }

  #refuse(error: unknown): void {
    const isOurs = error instanceof MonError;
    if (!isOurs) this.#dependencies.log.error({ err: error }, 'live feed request failed');
    const [code, message] = isOurs ? [error.code, error.message] : ['internal', 'internal error'];
    this.send({ type: 'error', code, message });
    this.close(POLICY_VIOLATION, code);
  }

  #subscribe(request: Extract<FeedRequest, { type: 'subscribe' }>): void {
    const { topics, transports, columns = false, since, store, namespace = DEFAULT_NAMESPACE } = request;
    if (this.#selection !== undefined)
      throw new MonError(
        'invalid',
        'this connection already has a feed subscription: open another connection for a second one',
      );
    const selection = new RowSelection(
      this.#dependencies.topics,
      request,
      FeedReach.of(this.#principal, namespace, this.#dependencies.registry),
    );
    this.#selection = selection;
    this.#takesColumns = columns;
    if (transports !== undefined) this.#transports = this.#tap(transports);
    this.#currentMs = this.#dependencies.clock.monotonic();
    if (topics.length === 0) return;
    this.#generation = this.#dependencies.registry.generation;
    this.#revision = selection.revision(this.#dependencies.registry);
    if (since === undefined) {
      this.#startSnapshot(selection);
    } else if (store === this.#storeId && selection.canResume) {
      const { batcher, changes, clock } = this.#dependencies;
      if (since > changes.lastSeq && !batcher.isLeading)
        this.#awaited = { seq: since, untilMs: clock.monotonic() + AWAITED_MS_MAX };
      else this.#resume(since, selection);
    } else {
      // The consumer cannot resume with a filter: the server does not know which of its rows no longer match. The same
      // applies to rows derived from definitions, because the server does not know from which revision.
      this.#reset(selection, NOT_AVAILABLE);
    }
  }

  #resume(since: number, selection: RowSelection): void {
    if (this.#canCatchUp(since, selection)) this.#seq = this.#fullSeq = since;
    else this.#reset(selection, NOT_AVAILABLE);
  }

  /** True if the write from which the consumer resumes is still awaited. When the wait ends, the consumer resumes. */
  #isAwaiting(selection: RowSelection): boolean {
    if (this.#awaited === undefined) return false;
    const { seq, untilMs } = this.#awaited;
    const { changes, clock } = this.#dependencies;
    if (changes.lastSeq < seq && clock.monotonic() < untilMs) return true;
    this.#awaited = undefined;
    this.#resume(seq, selection);
    return false;
  }

  #tap(transports: readonly string[]): TransportSubscription {
    return new TransportSubscription(transports, {
      canTake: () => this.#canSend(),
      send: (message) => this.send(message),
      sendText: (frame) => this.#sendText(frame),
      now: () => this.#dependencies.clock.now(),
    });
  }

  #reset(selection: RowSelection, reason: string): void {
    this.send({ type: 'reset', reason });
    this.#startSnapshot(selection);
  }

  /**
   * Starts a snapshot; all changes after this moment are sent when it is complete. A row that changes before the
   * snapshot reads it is therefore sent twice, which is harmless.
   */
  #startSnapshot(selection: RowSelection): void {
    const { registry, changes, clock } = this.#dependencies;
    this.#generation = registry.generation;
    this.#revision = selection.revision(registry);
    this.#seq = this.#fullSeq = changes.lastSeq;
    this.#isLive = false;
    this.#changes = undefined;
    this.#brief.reset();
    selection.forget();
    this.#snapshot = snapshotRows({ registry, reach: selection.reach }, selection.topics, () => clock.now());
  }

  #sendSnapshotPart(selection: RowSelection, snapshot: Iterator<TopicRow>): void {
    const { rows, isLast } = readFrameRows(snapshot);
    if (isLast) this.#snapshot = undefined;
    const selected = selection.select(rows, this.#dependencies.clock.now());
    const content = this.#takesColumns ? snapshotInColumns(selected) : { rows: selected };
    this.send({ type: 'snapshot', seq: this.#seq, ...content });
  }

  #sendChanges(selection: RowSelection, frames: Map<string, string>): void {
    const { registry, changes, clock } = this.#dependencies;
    const { reach } = selection;
    this.#sentMs = clock.monotonic();
    const isOwn = selection.isFiltered || this.#changes !== undefined || this.#brief.hasOwnFrames;
    const frameKey = isOwn
      ? undefined
      : [this.#seq, selection.reach.id, ...selection.topics.map(({ name }) => name)].join();
    const cachedFrame = frameKey === undefined ? undefined : frames.get(frameKey);
    if (cachedFrame !== undefined) {
      this.#seq = this.#fullSeq = changes.lastSeq;
      this.#sendText(cachedFrame);
      return;
    }
    const nowMs = clock.now();
    const changed = this.#changes ?? {
      rows: changedRows({ registry, reach }, selection.topics, this.#changesDue(reach), nowMs),
      seq: changes.lastSeq,
    };
    const { rows, isLast } = readFrameRows(changed.rows);
    this.#changes = isLast ? undefined : changed;
    const { rows: full, brief } = this.#brief.split(selection.select(rows, nowMs));
    // The sequence number advances only with the last rows: a consumer that is disconnected before that resumes from
    // the old number.
    if (isLast) this.#seq = changed.seq;
    if (isLast && !this.#brief.hasEventsInBrief) this.#fullSeq = this.#seq;
    const message: FeedMessage = {
      type: 'changes',
      seq: this.#fullSeq,
      time: nowMs,
      rows: full,
      ...(brief && { brief }),
    };
    const text = JSON.stringify(message);
    if (isLast && frameKey !== undefined) frames.set(frameKey, text);
    this.#sendText(text);
  }

  *#changesDue(reach: FeedReach): Generator<Change, void, undefined> {
    yield* this.#brief.takeDue(reach);
    yield* this.#dependencies.changes.after(this.#seq, reach);
  }

  #sendText(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text);
  }
}

/** Reads the rows of the next frame from the iterator; `isLast` is true if no rows are left. */
function readFrameRows<Row>(rows: Iterator<Row>): { readonly rows: readonly Row[]; readonly isLast: boolean } {
  const taken: Row[] = [];
  while (taken.length < FRAME_ROWS) {
    const next = rows.next();
    if (next.done === true) return { rows: taken, isLast: true };
    taken.push(next.value);
  }
  return { rows: taken, isLast: false };
}
