import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { idleStep, type IdleRules, type IdleStep } from '../../../shared/domain/silence-idle.ts';
import { toCurrentWindow } from '../../../shared/domain/silencing.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import type { PlanningClock } from '../ports.ts';
import { isAnySilencedBy } from '../model/registry/silenced-events.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { countUnmatched, markIdle, countMatches } from '../model/silences/mutations.ts';
import { silencedChangeOf } from '../model/silences/state.ts';
import { endIdle } from './commands.ts';

interface IdleWatchDependencies {
  readonly registry: Registry;
  readonly batcher: Pick<Batcher, 'run'>;
  readonly clock: PlanningClock;
  readonly log: Log;
  /**
   * Returns the settings for idle silences. It is called for each use, because a configuration reload can change them.
   */
  readonly rules: () => IdleRules;
}

/**
 * Interval at which silences that match no event are searched for. A periodic search adds no work to the processing of
 * results.
 */
const PERIOD_MS = 60_000;

/**
 * Maximum number of idle silences that are checked per interval; the others are checked in the next intervals. Finding
 * the events that a selector matches takes a millisecond among 100,000 clients.
 */
const CHECKED_IDLE_SILENCES_MAX = 200;

/** Maximum number of silences that are updated in one commit. */
const SLICE_SILENCES = 20;

/** Namespace and id of a silence. Unlike the object of the silence, they stay valid when the registry is reloaded. */
type SilenceRef = readonly [namespace: string, id: string];

/**
 * Marks silences as idle that have matched no event for a long time, and removes the mark when they match one. Ends
 * idle silences if the settings say so (spec, idleness).
 */
export function watchIdle(parts: IdleWatchDependencies): Disposable {
  let isLooking = false;
  let round = 0;
  return parts.clock.every(PERIOD_MS, () => {
    if (isLooking) return;
    isLooking = true;
    checkIdleSilences(parts, round++)
      .catch((error: unknown) => {
        parts.log.warn({ reason: errorMessage(error) }, 'could not save which silences match no events');
      })
      .finally(() => {
        isLooking = false;
      });
  });
}

async function checkIdleSilences(
  { registry, batcher, clock, rules }: IdleWatchDependencies,
  round: number,
): Promise<void> {
  const due: SilenceRef[] = [];
  for (const [name, id] of silencesToCheck(registry, rules(), clock.now(), round)) {
    await yieldToEventLoop();
    const namespace = registry.namespace(name);
    const entry = namespace.silenced.get(id);
    if (entry !== undefined && stepOf(namespace, entry, rules(), clock.now()).kind !== 'none') due.push([name, id]);
  }
  for (let start = 0; start < due.length; start += SLICE_SILENCES) {
    const chunk = due.slice(start, start + SLICE_SILENCES);
    const work = (transaction: Transaction): void => {
      for (const ref of chunk) updateIdleMark(transaction, ref, rules());
    };
    await batcher.run(work, { weight: chunk.length });
  }
}

/**
 * Returns the silences whose idle state possibly has to change now. In addition returns at most
 * `CHECKED_IDLE_SILENCES_MAX` of the other idle silences, different ones in each round.
 */
function silencesToCheck(registry: Registry, rules: IdleRules, nowMs: number, round: number): readonly SilenceRef[] {
  const due: SilenceRef[] = [];
  const marked: SilenceRef[] = [];
  for (const namespace of registry.namespaces()) {
    for (const entry of namespace.silenced.all()) {
      const { kind } = stepOf(namespace, entry, rules, nowMs, () => false);
      const refs = kind !== 'none' ? due : entry.idle !== undefined ? marked : undefined;
      refs?.push([namespace.name, entry.id]);
    }
  }
  const rounds = Math.max(1, Math.ceil(marked.length / CHECKED_IDLE_SILENCES_MAX));
  const start = (round % rounds) * CHECKED_IDLE_SILENCES_MAX;
  return [...due, ...marked.slice(start, start + CHECKED_IDLE_SILENCES_MAX)];
}

function updateIdleMark(transaction: Transaction, [name, id]: SilenceRef, rules: IdleRules): void {
  const namespace = transaction.registry.namespace(name);
  const entry = namespace.silenced.get(id);
  if (entry === undefined) return;
  const step = stepOf(namespace, entry, rules, transaction.nowMs);
  switch (step.kind) {
    case 'none':
      return;
    case 'count':
      countUnmatched(transaction, namespace, id, step.since);
      return;
    case 'match':
      countMatches(transaction, namespace, [id]);
      return;
    case 'idle':
      markIdle(transaction, namespace, entry, step.idle);
      return;
    case 'wake':
      markIdle(transaction, namespace, entry, undefined);
      return;
    case 'end':
      endIdle(transaction, namespace, entry, step.idle);
  }
}

function stepOf(
  namespace: Namespace,
  kept: SilencedEntry,
  rules: IdleRules,
  nowMs: number,
  covers = () => isAnySilencedBy(namespace, silencedChangeOf(namespace.name, kept)),
): IdleStep {
  return idleStep(toCurrentWindow(kept, nowMs), { use: namespace.silenced.use(kept.id), covers }, rules, nowMs);
}
