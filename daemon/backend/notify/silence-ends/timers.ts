import { isActive } from '../../../../shared/domain/silencing.ts';
import type { Log } from '../../../log/log.ts';
import { EventQueue, type EventKey } from '../event-queue.ts';
import { isPendingAfterSilence, type SilenceEndNotifier } from './commands.ts';
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
import { runInChunks } from '../../store/time-slice.ts';

interface SilenceEndDependencies {
  readonly registry: Registry;
  readonly commits: Pick<CommitBoard, 'onCommit'>;
  readonly notifier: Pick<SilenceEndNotifier, 'notify'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Notifies handlers when silences end: of problems that still fire, and of problems that resolved while they were
 * silenced. A silence can end in these ways:
 *
 * - It expires, or an operator ends or replaces it.
 * - Its problem resolves.
 * - It no longer matches a client or check that has changed.
 * - The restore of an older dump removes it.
 *
 * The silences that ended while the backend was down are handled at start.
 */
export function watchSilenceEnds(deps: SilenceEndDependencies): Disposable {
  const { registry, commits, clock } = deps;
  const queue = new SilenceEndQueue(deps);
  const commitListener = commits.onCommit(({ changes }) => {
    let changedSelectorCount = 0;
    for (const change of changes) {
      // A search for the events that one selector matches examines all events. If many silences with selectors changed,
      // a single pass over all events is cheaper.
      if (
        change[0] === 'silenced' &&
        change[4] !== undefined &&
        ++changedSelectorCount > SELECTORS_MATCHED_ONE_BY_ONE_MAX
      )
        continue;
      queue.addEventsPendingAfterSilence(findChecksToExamine(registry, change, clock.now()));
      queue.addResolutionsAffectedBy(registry, change);
    }
    if (changedSelectorCount > SELECTORS_MATCHED_ONE_BY_ONE_MAX) void queue.addAllPendingAfterSilence();
  });
  void queue.addAllPendingAfterSilence();
  return {
    [Symbol.dispose]: () => {
      commitListener[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };
}

/**
 * Yields the checks whose open events may no longer be silenced because of a committed change. The caller must examine
 * these checks.
 */
function* findChecksToExamine(
  registry: Registry,
  change: Change,
  nowMs: number,
): Generator<CheckEntry, void, undefined> {
  if (change[0] === 'silenced') {
    if (isSilenceInactive(registry, change, nowMs)) yield* eventsSilencedBy(registry.namespace(change[1]), change);
  } else if (change[0] === 'client') {
    const client = registry.namespace(change[1]).clients.get(change[2]);
    if (client !== undefined && client.openEvents > 0) yield* client.checks.values();
  } else if (change[0] === 'event') {
    // An OK result can leave an event open but change it so that the selector of a silence no longer matches the event.
    // Such a result notifies no handler, so the event is examined here. The same is true of an event that was restored
    // from a dump.
    const entry = registry.findNamespace(change[1])?.check(change[2], change[3]);
    if (entry !== undefined) yield entry;
  }
}

/**
 * True if a changed silence is now deleted or not active. Other changes do not end a silence, for example those of its
 * counter of suppressed notifications.
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
 * Maximum number of changed silences with selectors in one commit for which the matching events are searched silence by
 * silence. If a commit changes more, a single pass examines all events.
 */
const SELECTORS_MATCHED_ONE_BY_ONE_MAX = 10;

/**
 * Delay in milliseconds before handlers are notified again of a resolution that stayed pending because the queue of a
 * handler was full.
 */
const FULL_QUEUE_RETRY_DELAY_MS = 10_000;

/**
 * The queue of the events that handlers must be notified of because their silences ended. The events are handled in
 * chunks, one chunk after another. If the backend stops, the next start finds the remaining events again.
 */
class SilenceEndQueue implements Disposable {
  readonly #deps: SilenceEndDependencies;
  readonly #events: EventQueue;
  /** The names of the namespaces for which a pass over all pending resolutions is scheduled and has not started. */
  readonly #namespacesToCheck = new Set<string>();
  /**
   * The events whose resolutions stayed pending, usually because the queue of a handler was full. A timer retries them.
   */
  readonly #postponedEvents = new Map<string, EventKey>();
  #postponedTimer: Disposable | undefined;

  constructor(deps: SilenceEndDependencies) {
    this.#deps = deps;
    const { clock, log, notifier } = deps;
    this.#events = new EventQueue({
      clock,
      log,
      handle: async (keys) => this.#postpone(await notifier.notify(keys)),
      failureMessage: 'events could not be handled at the end of their silence, retrying soon',
    });
  }

  /**
   * Adds all open events and all pending resolutions that no silence covers any more, if a silence suppressed a
   * notification of them.
   */
  async addAllPendingAfterSilence(): Promise<void> {
    await runInChunks(this.#addAllPendingAfterSilenceInSteps());
  }

  *#addAllPendingAfterSilenceInSteps(): Generator<void, void, undefined> {
    for (const { name, clients, silenced } of this.#deps.registry.namespaces()) {
      yield* this.#addResolutionsInSteps(name);
      for (const client of clients.values()) {
        yield;
        if (client.openEvents === 0) continue;
        for (const entry of client.checks.values()) {
          if (this.#events.isDisposed) return;
          if (entry.state.event?.notifications.pending?.silence !== true) continue;
          yield* silenced.prepare(entry);
          this.addEventsPendingAfterSilence([entry]);
        }
      }
    }
  }

  /**
   * Adds the pending resolutions that are no longer silenced and that a committed change may affect. After a change of
   * a client or an event, these are resolutions of that client. After the end of a silence, these are resolutions of
   * its namespace.
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
      // The silence may have covered any pending resolution of its namespace, so all of them are checked. If a commit
      // ends several silences of a namespace, one pass is enough.
      this.#namespacesToCheck.add(namespace.name);
      void this.#addResolutionsOfNamespace(namespace.name);
    }
  }

  async #addResolutionsOfNamespace(name: string): Promise<void> {
    await runInChunks(this.#addResolutionsInSteps(name));
  }

  *#addResolutionsInSteps(name: string): Generator<void, void, undefined> {
    yield;
    this.#namespacesToCheck.delete(name);
    const namespace = this.#deps.registry.findNamespace(name);
    if (namespace === undefined) return;
    for (const pending of pendingResolutionsOf(namespace).all()) {
      if (this.#events.isDisposed) return;
      this.#addResolutionsUnlessSilenced(namespace, [pending]);
      yield;
    }
  }

  #addResolutionsUnlessSilenced(namespace: Namespace, resolutions: Iterable<PendingResolution>): void {
    const nowMs = this.#deps.clock.now();
    for (const pending of resolutions) {
      if (isResolutionStillSilenced(namespace, pending, nowMs)) continue;
      this.#events.add([namespace.name, pending.client, pending.check]);
    }
  }

  /**
   * Adds the open events of these checks that no silence covers any more, if a silence suppressed a notification of
   * them.
   */
  addEventsPendingAfterSilence(entries: Iterable<CheckEntry>): void {
    const nowMs = this.#deps.clock.now();
    for (const entry of entries) {
      const { namespace, name: client } = entry.client;
      if (isPendingAfterSilence(entry, nowMs)) this.#events.add([namespace.name, client, entry.name]);
    }
  }

  [Symbol.dispose](): void {
    this.#events[Symbol.dispose]();
    this.#postponedTimer?.[Symbol.dispose]();
  }

  /** Puts events back into the queue after ten seconds, without delaying the other events. */
  #postpone(keys: readonly EventKey[]): void {
    for (const key of keys) this.#postponedEvents.set(JSON.stringify(key), key);
    if (this.#postponedEvents.size === 0 || this.#events.isDisposed) return;
    this.#postponedTimer ??= this.#deps.clock.after(FULL_QUEUE_RETRY_DELAY_MS, () => {
      this.#postponedTimer = undefined;
      for (const key of this.#postponedEvents.values()) this.#events.add(key);
      this.#postponedEvents.clear();
    });
  }
}
