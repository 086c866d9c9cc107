import type { Batcher } from '../commit/batcher.ts';
import { Plans } from '../plans/commands.ts';
import { PlanRunner } from '../plans/plan-runner.ts';
import type { Foundation } from './foundation.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import type { Writers } from './writers.ts';

interface PlanDependencies {
  readonly batcher: Batcher;
  readonly writers: Writers;
  /** The host name of the backend, as shown to operators. */
  readonly name: string;
}

/** Creates the runner of upgrade plans. */
export function openPlans(
  { config, registry, store, definitions, clock, log }: Foundation,
  { batcher, writers, name }: PlanDependencies,
  teardown: Teardown<PartName>,
): PlanRunner {
  const { definitionChanges, namespaces, stashMigrations, storeUpgrades, entityLimit } = writers;
  return teardown.use(
    'plans',
    new PlanRunner({
      registry,
      store,
      batcher,
      definitionChanges,
      namespaces,
      stashMigrations,
      storeUpgrades,
      plans: new Plans(batcher),
      facts: { registry, definitions, entityLimit, clock, name, store, stateDir: config.program['state-dir'] },
      clock,
      startedMs: clock.now(),
      log,
    }),
  );
}
