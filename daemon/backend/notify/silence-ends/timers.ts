import { isActive } from '../../../../shared/domain/silencing.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import { isNoLongerSilenced, type EventKey, type SilenceEndNotifier } from './commands.ts';
import {
  isResolutionStillSilenced,
  pendingResolutionsOf,
  type PendingResolution,
} from '../../model/notify/silence-ends/state.ts';
import { idOfChange } from '../../model/silences/state.ts';
import type { CommitBoard } from '../../model/transaction/commit-board.ts';
import type { Change, Clock } from '../../ports.ts';
import { eventsSilencedBy } from '../../model/registry/silenced-events.ts';
import type { CheckEntry, Namespace } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { inChunks } from '../../store/time-slice.ts';

interface SilenceEndDeps {
  readonly registry: Registry;
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly notifier: Pick<SilenceEndNotifier, 'notify'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Notifies handlers of events whose silences end: of problems that still fire, and of problems that resolved while they
 * were silenced. A silence may expire, or be ended or replaced by an operator. It may end with the problem, or stop
 * matching a changed client or check. The restore of an older dump may remove it. Silences that ended while the backend
 * was down are handled at start.
 */
export function watchSilenceEnds(deps: SilenceEndDeps): Disposable {
  const { registry, commits, clock } = deps;
  const queue = new SilenceEndQueue(deps);
  const commitListener = commits.onCommit(({ changes }) => {
    let selectorCount = 0;
    for (const change of changes) {
      // Matching a single selector visits all events. With many selectors, one pass over all events is cheaper.
      if (change[0] === 'silenced' && change[4] !== undefined && ++selectorCount > SELECTORS_MATCHED_MAX) continue;
      queue.addNoLongerSilenced(checksAffectedBy(registry, change, clock.now()));
      queue.addResolutionsAffectedBy(registry, change);
    }
    if (selectorCount > SELECTORS_MATCHED_MAX) void queue.addAll();
  });
  void queue.addAll();
  return {
    [Symbol.dispose]: () => {
      commitListener[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };
}

/** Yields the checks whose open events may no longer be silenced because of a committed change. */
function* checksAffectedBy(registry: Registry, change: Change, nowMs: number): Generator<CheckEntry, void, undefined> {
  if (change[0] === 'silenced') {
    if (isSilenceInactive(registry, change, nowMs)) yield* eventsSilencedBy(registry.namespace(change[1]), change);
  } else if (change[0] === 'client') {
    const client = registry.namespace(change[1]).clients.get(change[2]);
    if (client !== undefined && client.openEvents > 0) yield* client.checks.values();
  } else if (change[0] === 'event') {
    // After an OK result that leaves the event open, the selector of a silence may no longer match. Such a result
    // notifies no handler, so the event is checked here. The same is true of an event restored from a dump.
    const entry = registry.findNamespace(change[1])?.check(change[2], change[3]);
    if (entry !== undefined) yield entry;
  }
}

/**
 * True if the silence that a change names is deleted or not active. A change alone does not mean that: a silence also
 * changes whenever it suppresses a notification.
 */
function isSilenceInactive(
  registry: Registry,
  change: Extract<Change, readonly ['silenced', ...unknown[]]>,
  nowMs: number,
): boolean {
  const entry = registry.namespace(change[1]).silenced.get(idOfChange(change));
  return entry === undefined || !isActive(entry, nowMs);
}

/**
 * Maximum number of silences with a selector in one commit that are matched one by one; with more, all events are
 * checked.
 */
const SELECTORS_MATCHED_MAX = 10;

/**
 * Maximum number of events handled in one commit, so that the end of a large silence does not delay the results of
 * others.
 */
const EVENTS_PER_CHUNK = 100;
/** Delay in milliseconds before events are retried that could not be handled because of an error. */
const RETRY_DELAY_MS = 1000;
/** Delay in milliseconds before the next attempt to notify of a resolution that could not be queued for a handler. */
const FULL_QUEUE_DELAY_MS = 10_000;

/**
 * The queue of the events whose silences ended. They are handled in chunks, one chunk after the other. Events that are
 * still in the queue when the backend stops are found again at the next start.
 */
class SilenceEndQueue implements Disposable {
  readonly #deps: SilenceEndDeps;
  readonly #waitingEvents = new Map<string, EventKey>();
  /** The names of the namespaces whose pending resolutions are going to be checked. */
  readonly #namespacesToCheck = new Set<string>();
  #isProcessing = false;
  #isDisposed = false;
  #retryTimer: Disposable | undefined;
  /** The events whose resolutions wait until the queue of a handler has room. */
  readonly #postponedEvents = new Map<string, EventKey>();
  #postponedTimer: Disposable | undefined;

  constructor(deps: SilenceEndDeps) {
    this.#deps = deps;
  }

  /**
   * Adds all events for which a silence suppressed a notification and which nothing silences any more: open events and
   * pending resolutions.
   */
  async addAll(): Promise<void> {
    await inChunks(this.#addAllInSteps());
  }

  *#addAllInSteps(): Generator<void, void, undefined> {
    for (const { name, clients, silenced } of this.#deps.registry.namespaces()) {
      yield* this.#addResolutionsInSteps(name);
      for (const client of clients.values()) {
        yield;
        if (client.openEvents === 0) continue;
        for (const entry of client.checks.values()) {
          if (this.#isDisposed) return;
          if (entry.state.event?.notifications.pending?.silence !== true) continue;
          yield* silenced.prepare(entry);
          this.addNoLongerSilenced([entry]);
        }
      }
    }
  }

  /**
   * Adds the pending resolutions that are no longer silenced, of the client or namespace that a committed change
   * affects.
   */
  addResolutionsAffectedBy(registry: Registry, change: Change): void {
    if (change[0] !== 'silenced' && change[0] !== 'client' && change[0] !== 'event') return;
    const namespace = registry.findNamespace(change[1]);
    const resolutions = namespace && pendingResolutionsOf(namespace);
    if (namespace === undefined || resolutions === undefined || resolutions.size === 0) return;
    if (change[0] !== 'silenced') this.#addResolutionsUnlessSilenced(namespace, resolutions.ofClient(change[2]));
    else if (
      !this.#namespacesToCheck.has(namespace.name) &&
      isSilenceInactive(registry, change, this.#deps.clock.now())
    ) {
      // Each silence may have covered any pending resolution of the namespace, so one pass is enough for all changes of
      // a commit.
      this.#namespacesToCheck.add(namespace.name);
      void this.#addResolutionsOfNamespace(namespace.name);
    }
  }

  async #addResolutionsOfNamespace(name: string): Promise<void> {
    await inChunks(this.#addResolutionsInSteps(name));
  }

  *#addResolutionsInSteps(name: string): Generator<void, void, undefined> {
    yield;
    this.#namespacesToCheck.delete(name);
    const namespace = this.#deps.registry.findNamespace(name);
    if (namespace === undefined) return;
    for (const pending of pendingResolutionsOf(namespace).all()) {
      if (this.#isDisposed) return;
      this.#addResolutionsUnlessSilenced(namespace, [pending]);
      yield;
    }
  }

  #addResolutionsUnlessSilenced(namespace: Namespace, resolutions: Iterable<PendingResolution>): void {
    const nowMs = this.#deps.clock.now();
    for (const pending of resolutions) {
      if (isResolutionStillSilenced(namespace, pending, nowMs)) continue;
      this.#enqueue([namespace.name, pending.client, pending.check]);
    }
    this.#startProcessing();
  }

  /** Adds those of these checks whose open events are no longer silenced, if a silence suppressed a notification. */
  addNoLongerSilenced(entries: Iterable<CheckEntry>): void {
    const nowMs = this.#deps.clock.now();
    for (const entry of entries) {
      const { namespace, name: client } = entry.client;
      if (isNoLongerSilenced(entry, nowMs)) this.#enqueue([namespace.name, client, entry.name]);
    }
    this.#startProcessing();
  }

  #startProcessing(): void {
    if (this.#waitingEvents.size > 0 && !this.#isProcessing && this.#retryTimer === undefined)
      void this.#processQueue();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#retryTimer?.[Symbol.dispose]();
    this.#postponedTimer?.[Symbol.dispose]();
  }

  #enqueue(key: EventKey): void {
    this.#waitingEvents.set(JSON.stringify(key), key);
  }

  /**
   * Handles the events of the queue in chunks until the queue is empty. Never rejects: after an error, the events are
   * retried later.
   */
  async #processQueue(): Promise<void> {
    const { notifier } = this.#deps;
    this.#isProcessing = true;
    while (this.#waitingEvents.size > 0 && !this.#isDisposed) {
      const keys = this.#removeChunk();
      try {
        this.#postpone(await notifier.notify(keys));
      } catch (error) {
        this.#retryAfterError(keys, error);
        break;
      }
    }
    this.#isProcessing = false;
  }

  /** Puts events back into the queue after ten seconds, without delaying the other events. */
  #postpone(keys: readonly EventKey[]): void {
    for (const key of keys) this.#postponedEvents.set(JSON.stringify(key), key);
    if (this.#postponedEvents.size === 0 || this.#isDisposed) return;
    this.#postponedTimer ??= this.#deps.clock.after(FULL_QUEUE_DELAY_MS, () => {
      this.#postponedTimer = undefined;
      for (const key of this.#postponedEvents.values()) this.#enqueue(key);
      this.#postponedEvents.clear();
      this.#startProcessing();
    });
  }

  #removeChunk(): EventKey[] {
    const keys: EventKey[] = [];
    for (const [id, key] of this.#waitingEvents) {
      if (keys.length === EVENTS_PER_CHUNK) break;
      this.#waitingEvents.delete(id);
      keys.push(key);
    }
    return keys;
  }

  #retryAfterError(keys: readonly EventKey[], error: unknown): void {
    if (this.#isDisposed) return;
    const { clock, log } = this.#deps;
    log.warn(
      { events: keys.length, reason: errorMessage(error) },
      'events could not be handled at the end of their silence, retrying soon',
    );
    // Put the failed events behind the others, so that an event that always fails does not block the others.
    for (const key of keys) this.#enqueue(key);
    this.#retryTimer = clock.after(RETRY_DELAY_MS, () => {
      this.#retryTimer = undefined;
      void this.#processQueue();
    });
  }
}
