import { errorMessage } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import type { CommitBoard } from '../../model/transaction/commit-board.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { QueueCapacity } from '../../model/notify/routing.ts';
import type { PlanningClock } from '../../ports.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { Deadlines } from '../../schedule/deadlines.ts';
import { groupsOf, createGroupsToReschedule, type Group, type GroupRef } from '../../model/notify/groups/state.ts';
import type { GroupFlusher } from './flush.ts';

/**
 * Delay in milliseconds before the next attempt to flush a group, if the flush failed or no queue has room for its run.
 */
const FLUSH_RETRY_MS = 1000;
/**
 * Maximum delay of the timer in milliseconds. It is short, so that overdue flushes are noticed soon after a suspended
 * machine resumes.
 */
const TIMER_DELAY_MS_MAX = 60_000;

interface FlushTimerDependencies {
  readonly registry: Registry;
  readonly flusher: Pick<GroupFlusher, 'nextGroupFlushAtMs' | 'flush'>;
  readonly queues: QueueCapacity;
  readonly commits: Pick<CommitBoard, 'onIdle'>;
  readonly definitions: Pick<Definitions, 'onChange'>;
  readonly clock: PlanningClock;
  readonly log: Log;
}

/** Flushes each group when its next flush is due. One timer serves all groups. */
export class GroupFlushTimer implements Disposable {
  readonly #deps: FlushTimerDependencies;
  /**
   * Scheduled flushes, by the time of the steady clock, which clock corrections do not affect. If a flush is moved to
   * an earlier time, or its group is removed, its old entry stays here. The entry is skipped when it comes up.
   */
  readonly #deadlines = new Deadlines();
  /**
   * The time of the next scheduled flush of each group, on the steady clock. A deadline of the group with another time
   * is outdated.
   */
  readonly #scheduled = new Map<string, number>();
  readonly #listeners: readonly Disposable[];
  #timer: Disposable | undefined;
  #registryGeneration: number;
  #isDisposed = false;

  constructor(deps: FlushTimerDependencies) {
    this.#deps = deps;
    this.#registryGeneration = deps.registry.generation;
    this.#scheduleAll();
    this.#listeners = [
      deps.commits.onIdle(() => this.#rescheduleChanged()),
      deps.definitions.onChange(() => this.#scheduleAll()),
    ];
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const listener of this.#listeners) listener[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
  }

  #rescheduleChanged(): void {
    const { registry } = this.#deps;
    const changedGroups = registry.state(createGroupsToReschedule).drain();
    if (registry.generation !== this.#registryGeneration) {
      this.#registryGeneration = registry.generation;
      this.#scheduleAll();
    } else if (changedGroups.size > 0) {
      for (const group of changedGroups) this.#schedule(group);
      this.#startTimer();
    }
  }

  #scheduleAll(): void {
    for (const namespace of this.#deps.registry.namespaces()) {
      if (groupsOf(namespace).size > 0) for (const group of groupsOf(namespace).all()) this.#schedule(group);
    }
    this.#startTimer();
  }

  #schedule(group: Group): void {
    if (group.members.size > 0) this.#scheduleAt(group, this.#deps.flusher.nextGroupFlushAtMs(group));
  }

  #scheduleAt({ namespace, handler, key }: GroupRef, flushAtMs: number): void {
    const { clock } = this.#deps;
    const id = JSON.stringify([namespace, handler, key]);
    const steadyMs = flushAtMs - clock.now() + clock.steady();
    const scheduledMs = this.#scheduled.get(id);
    if (scheduledMs !== undefined && scheduledMs <= steadyMs) return;
    this.#scheduled.set(id, steadyMs);
    this.#deadlines.add({ atMs: steadyMs, id });
  }

  #startTimer(): void {
    const { clock } = this.#deps;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const { next } = this.#deadlines;
    if (this.#isDisposed || next === undefined) return;
    const waitMs = Math.min(Math.max(0, next.atMs - clock.steady()), TIMER_DELAY_MS_MAX);
    this.#timer = clock.after(waitMs, () => this.#onTimer());
  }

  #onTimer(): void {
    const { clock, registry } = this.#deps;
    const due = [...this.#deadlines.due(clock.steady())];
    for (const { id, atMs } of due) {
      // This deadline is outdated: the group was scheduled for an earlier time.
      if (this.#scheduled.get(id) !== atMs) continue;
      this.#scheduled.delete(id);
      const [namespace, handler, key] = JSON.parse(id) as [string, string, string];
      const namespaceState = registry.findNamespace(namespace);
      const group = namespaceState && groupsOf(namespaceState).get(handler, key);
      if (group !== undefined) this.#flushIfDue(group);
    }
    this.#startTimer();
  }

  #flushIfDue(group: Group): void {
    const { clock, flusher, queues } = this.#deps;
    const dueAtMs = flusher.nextGroupFlushAtMs(group);
    if (dueAtMs > clock.now()) this.#scheduleAt(group, dueAtMs);
    else if (queues.isFull(group.namespace, group.handler)) this.#scheduleAt(group, clock.now() + FLUSH_RETRY_MS);
    else void this.#flush(group);
  }

  /** Flushes a group. If that fails, it logs the failure and schedules a retry; the promise never rejects. */
  async #flush({ namespace, handler, key }: GroupRef): Promise<void> {
    const { flusher, clock, log } = this.#deps;
    const groupRef = { namespace, handler, key };
    try {
      await flusher.flush(groupRef);
    } catch (error) {
      if (this.#isDisposed) return;
      log.warn({ ...groupRef, reason: errorMessage(error) }, 'notification group could not be flushed, retrying soon');
      this.#scheduleAt(groupRef, clock.now() + FLUSH_RETRY_MS);
      this.#startTimer();
    }
  }
}
