import type { StepOutcome } from '../../../shared/domain/plan/run.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { PlanRun, PlanRunStep } from '../../../shared/schemas/plan-run.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';
import type { DefinitionChanges } from '../definitions/commands.ts';
import type { Namespaces } from '../namespaces/commands.ts';
import type { StashMigrations } from '../stashes/migrations.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Clock, Store } from '../ports.ts';
import type { UpgradeFactDependencies } from './facts.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { StoreUpgrades } from './store-upgrades.ts';

/** The dependencies of the steps of upgrade plans. */
export interface StepDependencies {
  readonly registry: Registry;
  readonly store: Store;
  readonly batcher: Pick<Batcher, 'isFailing'>;
  readonly definitionChanges: DefinitionChanges;
  readonly namespaces: Namespaces;
  readonly stashMigrations: StashMigrations;
  readonly storeUpgrades: StoreUpgrades;
  readonly facts: UpgradeFactDependencies;
  readonly clock: Clock;
  /** Time when this backend started, in epoch milliseconds. */
  readonly startedMs: number;
}

/** One run of a step of an upgrade plan. */
export interface StepRun {
  readonly plan: PlanRun;
  readonly step: PlanRunStep;
  /** The state of this backend at the start of the step, merged with the values that the operator entered. */
  readonly facts: UpgradeFacts;
  /** The operator who started or confirmed the step. */
  readonly actor: Actor;
  /** Stores a progress message. A message is dropped if less than a second has passed since the last stored message. */
  readonly reportProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

export function doneOutcome(note: string, details: Omit<StepOutcome, 'isDone' | 'note'> = {}): StepOutcome {
  return { isDone: true, note, ...details };
}

export function failedOutcome(note: string, details: Omit<StepOutcome, 'isDone' | 'note'> = {}): StepOutcome {
  return { isDone: false, note, ...details };
}

/** Returns a promise that never resolves. It is rejected with the abort reason of the signal. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
