import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { idleStep, type IdleRules, type IdleStep } from '../../../shared/domain/silence-idle.ts';
import { entryAt } from '../../../shared/domain/silencing.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import type { PlanningClock } from '../ports.ts';
import { isAnySilencedBy } from '../model/registry/silenced-events.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { countUnmatched, markIdle, noteMatched } from '../model/silences/mutations.ts';
import { silencedChangeOf } from '../model/silences/state.ts';
import { endIdle } from './commands.ts';

interface IdleParts {
  readonly registry: Registry;
  readonly batcher: Pick<Batcher, 'run'>;
  readonly clock: PlanningClock;
  readonly log: Log;
  /** Returns the rules, called each time because a reload changes them. */
  readonly rules: () => IdleRules;
}

/** Interval of the checks for silences without matches. They do no work when a result arrives. */
const PERIOD_MS = 60_000;

/**
 * Number of idle entries that are checked each time, in turns: finding the matches of a selector takes a millisecond
 * among 100,000 clients.
 */
const MARKED = 200;

/** Number of entries in one commit. */
const SLICE = 20;

/** A reference to an entry, by name because the registry may be read again before it is used. */
type SilenceRef = readonly [namespace: string, id: string];

/**
 * Marks silences that have matched nothing for long as idle, and removes the mark after a match. It ends them where the
 * settings say so (spec, idleness).
 */
export function watchIdle(parts: IdleParts): Disposable {
  let isLooking = false;
  let round = 0;
  return parts.clock.every(PERIOD_MS, () => {
    if (isLooking) return;
    isLooking = true;
    lookAround(parts, round++)
      .catch((error: unknown) => {
        parts.log.warn({ reason: errorMessage(error) }, 'could not save which silences match no events');
      })
      .finally(() => {
        isLooking = false;
      });
  });
}

async function lookAround({ registry, batcher, clock, rules }: IdleParts, round: number): Promise<void> {
  const due: SilenceRef[] = [];
  for (const [name, id] of silencesToCheck(registry, rules(), clock.now(), round)) {
    await yieldToEventLoop();
    const namespace = registry.namespace(name);
    const entry = namespace.silenced.get(id);
    if (entry !== undefined && stepOf(namespace, entry, rules(), clock.now()).kind !== 'none') due.push([name, id]);
  }
  for (let start = 0; start < due.length; start += SLICE) {
    const chunk = due.slice(start, start + SLICE);
    const work = (transaction: Transaction): void => {
      for (const ref of chunk) follow(transaction, ref, rules());
    };
    await batcher.run(work, { weight: chunk.length });
  }
}

/** Returns the silences that change state unless they match something now, and some of the idle ones. */
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
  const rounds = Math.max(1, Math.ceil(marked.length / MARKED));
  const start = (round % rounds) * MARKED;
  return [...due, ...marked.slice(start, start + MARKED)];
}

function follow(transaction: Transaction, [name, id]: SilenceRef, rules: IdleRules): void {
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
      noteMatched(transaction, namespace, [id]);
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
  return idleStep(entryAt(kept, nowMs), { use: namespace.silenced.use(kept.id), covers }, rules, nowMs);
}
