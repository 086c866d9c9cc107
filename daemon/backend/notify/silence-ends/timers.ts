import { isActive } from '../../../../shared/domain/silencing.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import { isNoLongerSilenced, type EventKey, type SilenceEnds } from './commands.ts';
import {
  isStillSilenced,
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

interface SilenceEndParts {
  readonly registry: Registry;
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly silenceEnds: Pick<SilenceEnds, 'notify'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Notifies handlers of events whose silences end: of problems that still fire, and of problems that resolved while they
 * were silenced. A silence may expire, or be ended or replaced by an operator. It may end with the problem, or stop
 * matching a changed client or check. The restore of an older dump may remove it. Silences that ended while the backend
 * was down are handled at start.
 */
export function notifySilenceEnds(parts: SilenceEndParts): Disposable {
  const { registry, commits, clock } = parts;
  const queue = new SilenceEndQueue(parts);
  const listening = commits.onCommit(({ changes }) => {
    let bySelector = 0;
    for (const change of changes) {
      // Matching a single selector visits all events. With many selectors, one pass over all events is cheaper.
      if (change[0] === 'silenced' && change[4] !== undefined && ++bySelector > SELECTORS_MAX) continue;
      queue.addNoLongerSilenced(eventsReleasedBy(registry, change, clock.now()));
      queue.addResolutions(registry, change);
    }
    if (bySelector > SELECTORS_MAX) void queue.addAll();
  });
  void queue.addAll();
  return {
    [Symbol.dispose]: () => {
      listening[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };
}

/** Yields the checks whose open events may no longer be silenced because of a committed change. */
function* eventsReleasedBy(registry: Registry, change: Change, nowMs: number): Generator<CheckEntry, void, undefined> {
  if (change[0] === 'silenced') {
    if (hasEnded(registry, change, nowMs)) yield* eventsSilencedBy(registry.namespace(change[1]), change);
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
function hasEnded(
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
const SELECTORS_MAX = 10;

/**
 * Maximum number of events handled in one commit, so that the end of a large silence does not delay the results of
 * others.
 */
const SLICE = 100;
/** Delay in milliseconds before events are retried that could not be handled because of an error. */
const RETRY_MS = 1000;
/** Delay in milliseconds before the next attempt to notify of a resolution that could not be queued for a handler. */
const POSTPONED_MS = 10_000;

/**
 * The queue of the events whose silences ended. They are handled in chunks, one chunk after the other. Events that are
 * still in the queue when the backend stops are found again at the next start.
 */
class SilenceEndQueue implements Disposable {
  readonly #parts: SilenceEndParts;
  readonly #waiting = new Map<string, EventKey>();
  /** The names of the namespaces whose pending resolutions are going to be checked. */
  readonly #namespaces = new Set<string>();
  #isWorking = false;
  #isDisposed = false;
  #retry: Disposable | undefined;
  /** The events whose resolutions wait until the queue of a handler has room. */
  readonly #postponed = new Map<string, EventKey>();
  #later: Disposable | undefined;

  constructor(parts: SilenceEndParts) {
    this.#parts = parts;
  }

  /**
   * Adds all events for which a silence suppressed a notification and which nothing silences any more: open events and
   * pending resolutions.
   */
  async addAll(): Promise<void> {
    await inChunks(this.#addingAll());
  }

  *#addingAll(): Generator<void, void, undefined> {
    for (const { name, clients, silenced } of this.#parts.registry.namespaces()) {
      yield* this.#addingAllOf(name);
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
  addResolutions(registry: Registry, change: Change): void {
    if (change[0] !== 'silenced' && change[0] !== 'client' && change[0] !== 'event') return;
    const namespace = registry.findNamespace(change[1]);
    const resolutions = namespace && pendingResolutionsOf(namespace);
    if (namespace === undefined || resolutions === undefined || resolutions.size === 0) return;
    if (change[0] !== 'silenced') this.#addUnlessSilenced(namespace, resolutions.of(change[2]));
    else if (!this.#namespaces.has(namespace.name) && hasEnded(registry, change, this.#parts.clock.now())) {
      // Each silence may have covered any pending resolution of the namespace, so one pass is enough for all changes of
      // a commit.
      this.#namespaces.add(namespace.name);
      void this.#addAllOf(namespace.name);
    }
  }

  async #addAllOf(name: string): Promise<void> {
    await inChunks(this.#addingAllOf(name));
  }

  *#addingAllOf(name: string): Generator<void, void, undefined> {
    yield;
    this.#namespaces.delete(name);
    const namespace = this.#parts.registry.findNamespace(name);
    if (namespace === undefined) return;
    for (const pending of pendingResolutionsOf(namespace).all()) {
      if (this.#isDisposed) return;
      this.#addUnlessSilenced(namespace, [pending]);
      yield;
    }
  }

  #addUnlessSilenced(namespace: Namespace, resolutions: Iterable<PendingResolution>): void {
    const nowMs = this.#parts.clock.now();
    for (const pending of resolutions) {
      if (isStillSilenced(namespace, pending, nowMs)) continue;
      this.#put([namespace.name, pending.client, pending.check]);
    }
    this.#start();
  }

  /** Adds those of these checks whose open events are no longer silenced, if a silence suppressed a notification. */
  addNoLongerSilenced(entries: Iterable<CheckEntry>): void {
    const nowMs = this.#parts.clock.now();
    for (const entry of entries) {
      const { namespace, name: client } = entry.client;
      if (isNoLongerSilenced(entry, nowMs)) this.#put([namespace.name, client, entry.name]);
    }
    this.#start();
  }

  #start(): void {
    if (this.#waiting.size > 0 && !this.#isWorking && this.#retry === undefined) void this.#work();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#retry?.[Symbol.dispose]();
    this.#later?.[Symbol.dispose]();
  }

  #put(key: EventKey): void {
    this.#waiting.set(JSON.stringify(key), key);
  }

  /**
   * Handles the events of the queue in chunks until the queue is empty. Never rejects: after an error, the events are
   * retried later.
   */
  async #work(): Promise<void> {
    const { silenceEnds } = this.#parts;
    this.#isWorking = true;
    while (this.#waiting.size > 0 && !this.#isDisposed) {
      const keys = this.#takeSlice();
      try {
        this.#postpone(await silenceEnds.notify(keys));
      } catch (error) {
        this.#putOff(keys, error);
        break;
      }
    }
    this.#isWorking = false;
  }

  /** Puts events back into the queue after ten seconds, without delaying the other events. */
  #postpone(keys: readonly EventKey[]): void {
    for (const key of keys) this.#postponed.set(JSON.stringify(key), key);
    if (this.#postponed.size === 0 || this.#isDisposed) return;
    this.#later ??= this.#parts.clock.after(POSTPONED_MS, () => {
      this.#later = undefined;
      for (const key of this.#postponed.values()) this.#put(key);
      this.#postponed.clear();
      this.#start();
    });
  }

  #takeSlice(): EventKey[] {
    const keys: EventKey[] = [];
    for (const [id, key] of this.#waiting) {
      if (keys.length === SLICE) break;
      this.#waiting.delete(id);
      keys.push(key);
    }
    return keys;
  }

  #putOff(keys: readonly EventKey[], error: unknown): void {
    if (this.#isDisposed) return;
    const { clock, log } = this.#parts;
    log.warn(
      { events: keys.length, reason: errorMessage(error) },
      'events could not be handled at the end of their silence, retrying soon',
    );
    // Put the failed events behind the others, so that an event that always fails does not block the others.
    for (const key of keys) this.#put(key);
    this.#retry = clock.after(RETRY_MS, () => {
      this.#retry = undefined;
      void this.#work();
    });
  }
}
