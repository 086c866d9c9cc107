import type { StepOutcome } from '../../../shared/domain/plan/run.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { PlanRun, PlanRunStep } from '../../../shared/schemas/plan-run.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';
import type { DefinitionChanges } from '../definitions/commands.ts';
import type { Namespaces } from '../namespaces/commands.ts';
import type { StashMigrations } from '../stashes/migrations.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Clock, Store } from '../ports.ts';
import type { UpgradeFactParts } from './facts.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { StoreUpgrades } from './store-upgrades.ts';

/** The dependencies of the steps of a plan. */
export interface StepParts {
  readonly registry: Registry;
  readonly store: Store;
  readonly batcher: Pick<Batcher, 'isFailing'>;
  readonly definitionChanges: DefinitionChanges;
  readonly namespaces: Namespaces;
  readonly stashMigrations: StashMigrations;
  readonly storeUpgrades: StoreUpgrades;
  readonly facts: UpgradeFactParts;
  readonly clock: Clock;
  /** Start of this backend, epoch milliseconds. */
  readonly startedMs: number;
}

/** One run of a step. */
export interface StepRun {
  readonly plan: PlanRun;
  readonly step: PlanRunStep;
  /** The present facts, from the backend and from the creator of the plan. */
  readonly facts: UpgradeFacts;
  /** The actor who ordered it. */
  readonly actor: Actor;
  /** Reports a line of progress; further ones within a second are dropped. */
  readonly reportProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

export function done(note: string, details: Omit<StepOutcome, 'isDone' | 'note'> = {}): StepOutcome {
  return { isDone: true, note, ...details };
}

export function notDone(note: string, details: Omit<StepOutcome, 'isDone' | 'note'> = {}): StepOutcome {
  return { isDone: false, note, ...details };
}

/** Rejects with the reason of the signal; otherwise it never settles. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
