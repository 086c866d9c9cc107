import { errorMessage } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import type { CommitBoard } from '../../model/transaction/commit-board.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { Backlog } from '../../model/notify/route.ts';
import type { PlanningClock } from '../../ports.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { Deadlines } from '../../schedule/deadlines.ts';
import { groupsOf, openTouched, type Group, type GroupId } from '../../model/notify/groups/state.ts';
import type { GroupFlushes } from './flush.ts';

/** Delay before the next attempt of a flush that failed, or whose run would have exceeded the queue of its handler. */
const AGAIN_MS = 1000;
/** Maximum delay of the timer, so that overdue flushes are noticed soon after the machine was suspended. */
const SLEEP_MS_MAX = 60_000;

interface ClockParts {
  readonly registry: Registry;
  readonly flushes: Pick<GroupFlushes, 'dueOf' | 'flush'>;
  readonly backlog: Backlog;
  readonly commits: Pick<CommitBoard, 'onIdle'>;
  readonly definitions: Pick<Definitions, 'onChange'>;
  readonly clock: PlanningClock;
  readonly log: Log;
}

/** Flushes each group when its next flush is due. One timer serves all groups. */
export class GroupClock implements Disposable {
  readonly #parts: ClockParts;
  /** The scheduled flushes on the steady clock, which clock corrections do not change. Some may be outdated. */
  readonly #deadlines = new Deadlines();
  /** The time of the next scheduled flush of each group. Other deadlines of the group are outdated and ignored. */
  readonly #planned = new Map<string, number>();
  readonly #listening: readonly Disposable[];
  #timer: Disposable | undefined;
  #generation: number;
  #isDisposed = false;

  constructor(parts: ClockParts) {
    this.#parts = parts;
    this.#generation = parts.registry.generation;
    this.#planAll();
    this.#listening = [
      parts.commits.onIdle(() => this.#planTouched()),
      parts.definitions.onChange(() => this.#planAll()),
    ];
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const listening of this.#listening) listening[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
  }

  #planTouched(): void {
    const { registry } = this.#parts;
    const touched = registry.state(openTouched).take();
    if (registry.generation !== this.#generation) {
      this.#generation = registry.generation;
      this.#planAll();
    } else if (touched.size > 0) {
      for (const group of touched) this.#plan(group);
      this.#sleep();
    }
  }

  #planAll(): void {
    for (const namespace of this.#parts.registry.namespaces()) {
      if (groupsOf(namespace).size > 0) for (const group of groupsOf(namespace).all()) this.#plan(group);
    }
    this.#sleep();
  }

  #plan(group: Group): void {
    if (group.members.size > 0) this.#planAt(group, this.#parts.flushes.dueOf(group));
  }

  #planAt({ namespace, handler, key }: GroupId, atMs: number): void {
    const { clock } = this.#parts;
    const id = JSON.stringify([namespace, handler, key]);
    const steadyMs = atMs - clock.now() + clock.steady();
    const planned = this.#planned.get(id);
    if (planned !== undefined && planned <= steadyMs) return;
    this.#planned.set(id, steadyMs);
    this.#deadlines.add({ atMs: steadyMs, id });
  }

  #sleep(): void {
    const { clock } = this.#parts;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const { next } = this.#deadlines;
    if (this.#isDisposed || next === undefined) return;
    const waitMs = Math.min(Math.max(0, next.atMs - clock.steady()), SLEEP_MS_MAX);
    this.#timer = clock.after(waitMs, () => this.#wake());
  }

  #wake(): void {
    const { clock, registry } = this.#parts;
    const due = [...this.#deadlines.due(clock.steady())];
    for (const { id, atMs } of due) {
      // This deadline is outdated: the group was scheduled for an earlier time.
      if (this.#planned.get(id) !== atMs) continue;
      this.#planned.delete(id);
      const [namespace, handler, key] = JSON.parse(id) as [string, string, string];
      const namespaceState = registry.findNamespace(namespace);
      const group = namespaceState && groupsOf(namespaceState).get(handler, key);
      if (group !== undefined) this.#lookAt(group);
    }
    this.#sleep();
  }

  #lookAt(group: Group): void {
    const { clock, flushes, backlog } = this.#parts;
    const dueMs = flushes.dueOf(group);
    if (dueMs > clock.now()) this.#planAt(group, dueMs);
    else if (backlog.isFull(group.namespace, group.handler)) this.#planAt(group, clock.now() + AGAIN_MS);
    else void this.#flush(group);
  }

  /** Flushes a group. If that fails, it logs the failure and schedules a retry; the promise never rejects. */
  async #flush({ namespace, handler, key }: GroupId): Promise<void> {
    const { flushes, clock, log } = this.#parts;
    const id = { namespace, handler, key };
    try {
      await flushes.flush(id);
    } catch (error) {
      if (this.#isDisposed) return;
      log.warn({ ...id, reason: errorMessage(error) }, 'group could not be flushed, retrying soon');
      this.#planAt(id, clock.now() + AGAIN_MS);
      this.#sleep();
    }
  }
}
