import { isActive } from '../../../../shared/domain/silencing.ts';
import type { EscalationState } from '../../../../shared/schemas/escalation.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { CheckEntry, Namespace } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { idOfChange } from '../../model/silences/state.ts';
import type { Change } from '../../ports.ts';
import type { Deadline } from '../../schedule/deadlines.ts';
import { runDeadlines, type DeadlineDependencies } from '../../schedule/run-deadlines.ts';
import { runInChunks } from '../../store/time-slice.ts';
import { EventQueue, type EventKey } from '../event-queue.ts';
import { hasOutdatedEscalation, type EscalationUpdates } from './commands.ts';

interface EscalationTimerDeps extends DeadlineDependencies {
  readonly registry: Registry;
  readonly definitions: Pick<Definitions, 'inNamespace'>;
  readonly updates: Pick<EscalationUpdates, 'update'>;
}

/**
 * Notifies the steps of escalations when they are due, and pauses and continues escalations when the event is silenced,
 * inhibited or acknowledged and when that ends. All times are in the stored events, so a restart loses no step.
 */
export function watchEscalations(deps: EscalationTimerDeps): Disposable {
  const { registry, commits } = deps;
  const queue = new EscalationQueue(deps);
  // An escalation has one deadline: each change of its due time creates another object.
  const scheduled = new WeakSet<EscalationState>();
  function* deadlinesOf(entry: CheckEntry): Generator<Deadline, void, undefined> {
    for (const escalation of entry.state.event?.escalations ?? []) {
      if (escalation.due === undefined || scheduled.has(escalation)) continue;
      scheduled.add(escalation);
      yield { atMs: escalation.due * 1000, id: JSON.stringify(keyOf(entry)) };
    }
  }
  const steps = runDeadlines(deps, {
    failure: 'a step of an escalation was not notified',

    *atStart() {
      for (const { escalated } of registry.namespaces()) {
        for (const entry of escalated.all()) yield* deadlinesOf(entry);
      }
    },

    *after(change) {
      if (change[0] !== 'event') return;
      const entry = registry.findNamespace(change[1])?.check(change[2], change[3]);
      if (entry !== undefined) yield* deadlinesOf(entry);
    },

    run(id) {
      queue.add(JSON.parse(id) as EventKey);
      return undefined;
    },
  });
  const commitListener = commits.onCommit(({ changes }) => {
    for (const change of changes) queue.addAffectedBy(change);
  });
  for (const namespace of registry.namespaces()) queue.addAllOf(namespace);
  return {
    [Symbol.dispose]: () => {
      commitListener[Symbol.dispose]();
      steps[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };
}

/** The queue of the events whose escalations must be updated. They are updated in chunks, one after another. */
class EscalationQueue implements Disposable {
  readonly #deps: EscalationTimerDeps;
  readonly #events: EventQueue;
  /** The silences that were active at the last change, by namespace and id. */
  readonly #activeSilences = new Set<string>();
  /** The names of the namespaces for which a pass over all escalations is scheduled and has not started. */
  readonly #namespacesToCheck = new Set<string>();

  constructor(deps: EscalationTimerDeps) {
    this.#deps = deps;
    const { clock, log, updates } = deps;
    this.#events = new EventQueue({
      clock,
      log,
      handle: (keys) => updates.update(keys),
      failureMessage: 'escalations were not updated, retrying soon',
    });
    const nowMs = clock.now();
    for (const { name, silenced } of deps.registry.namespaces()) {
      for (const entry of silenced.all()) {
        if (isActive(entry, nowMs)) this.#activeSilences.add(JSON.stringify([name, entry.id]));
      }
    }
  }

  [Symbol.dispose](): void {
    this.#events[Symbol.dispose]();
  }

  add(key: EventKey): void {
    this.#events.add(key);
  }

  /** Adds the events whose escalations a committed change pauses or continues. */
  addAffectedBy(change: Change): void {
    const namespace = this.#deps.registry.findNamespace(change[1]);
    // Changes of silences are always examined, to know which ones are active when an escalation starts.
    if (change[0] === 'silenced' && this.#hasBegunOrEnded(change) && namespace !== undefined) this.addAllOf(namespace);
    if (namespace === undefined || namespace.escalated.size === 0) return;
    if (change[0] === 'event') {
      this.#addIfOutdated(namespace.check(change[2], change[3]));
    } else if (change[0] === 'client') {
      for (const entry of namespace.clients.get(change[2])?.checks.values() ?? []) this.#addIfOutdated(entry);
    } else if (change[0] === 'inhibitor') {
      const [, , rule, client, check] = change;
      for (const entry of namespace.inhibited.eventsInhibitedBy({ rule, client, check })) this.#addIfOutdated(entry);
    }
  }

  /** Adds the events of a namespace whose escalations are outdated. */
  addAllOf({ name, escalated }: Namespace): void {
    if (escalated.size === 0 || this.#namespacesToCheck.has(name)) return;
    this.#namespacesToCheck.add(name);
    void runInChunks(this.#addAllInSteps(name));
  }

  *#addAllInSteps(name: string): Generator<void, void, undefined> {
    yield;
    this.#namespacesToCheck.delete(name);
    const namespace = this.#deps.registry.findNamespace(name);
    for (const entry of namespace?.escalated.all() ?? []) {
      if (this.#events.isDisposed || namespace === undefined) return;
      yield* namespace.silenced.prepare(entry);
      this.#addIfOutdated(entry);
      yield;
    }
  }

  /** True if a changed silence is active now and was not before, or the reverse. */
  #hasBegunOrEnded(change: Extract<Change, readonly ['silenced', ...unknown[]]>): boolean {
    const { registry, clock } = this.#deps;
    const id = idOfChange(change);
    const silence = registry.findNamespace(change[1])?.silenced.get(id);
    const key = JSON.stringify([change[1], id]);
    const wasActive = this.#activeSilences.has(key);
    const isActiveNow = silence !== undefined && isActive(silence, clock.now());
    if (isActiveNow) this.#activeSilences.add(key);
    else this.#activeSilences.delete(key);
    return wasActive !== isActiveNow;
  }

  #addIfOutdated(entry: CheckEntry | undefined): void {
    const { definitions, clock } = this.#deps;
    if (entry !== undefined && hasOutdatedEscalation(entry, definitions, clock.now())) this.add(keyOf(entry));
  }
}

function keyOf({ client, name }: CheckEntry): EventKey {
  return [client.namespace.name, client.name, name];
}
