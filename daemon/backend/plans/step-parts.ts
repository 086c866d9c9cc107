import type { StepOutcome } from '../../../shared/domain/plan/run.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { PlanRun, PlanRunStep } from '../../../shared/schemas/plan-run.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';
import type { DefinitionChanges } from '../definitions/write.ts';
import type { Namespaces } from '../namespaces/write.ts';
import type { StashMigrations } from '../stashes/migrations.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Clock, Store } from '../ports.ts';
import type { UpgradeFactParts } from './facts.ts';
import type { Registry } from '../registry/registry.ts';
import type { StoreUpgrades } from './store-upgrades.ts';

/** What the steps of a plan work with. */
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
  /** When this backend was started, epoch milliseconds. */
  readonly startedMs: number;
}

/** One run of a step. */
export interface StepRun {
  readonly runbook: PlanRun;
  readonly step: PlanRunStep;
  /** What is known by now: by the backend, and by whoever made the plan. */
  readonly facts: UpgradeFacts;
  /** Whose order it is. */
  readonly actor: Actor;
  /** A line of progress; those that follow within a second are left out. */
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
}

export function done(note: string, rest: Omit<StepOutcome, 'isDone' | 'note'> = {}): StepOutcome {
  return { isDone: true, note, ...rest };
}

export function notDone(note: string, rest: Omit<StepOutcome, 'isDone' | 'note'> = {}): StepOutcome {
  return { isDone: false, note, ...rest };
}

/** Never settles but with the reason of the signal. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
