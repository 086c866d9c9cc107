import { Batcher } from '../commit/batcher.ts';
import type { Routing } from '../model/notify/routing.ts';
import { plansOf } from '../model/plans/state.ts';
import { logVerdicts } from '../notify/log-verdicts.ts';
import type { Foundation } from './foundation.ts';
import type { BackendOptions } from './options.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';

/** Creates the batcher, which commits all changes to the store. */
export function openBatcher(
  { batcher: settings }: Pick<BackendOptions, 'batcher'>,
  { definitions, store, lease, time, clock, log, registry, disk, memory }: Foundation,
  { routing }: { readonly routing: Routing },
  teardown: Teardown<PartName>,
): Batcher {
  const plans = plansOf(registry);
  const batcher = new Batcher(
    {
      registry,
      store,
      lease,
      clock,
      log,
      routing,
      diskLimit: disk,
      keepReportsOut: () => plans.refuseWhileDraining(),
      memory,
      anchorDue: () => time.anchorDue(),
    },
    settings,
  );
  teardown.use('handling log', logVerdicts({ commits: batcher.commits, clock, log }));
  teardown.use(
    'stored definitions',
    batcher.commits.onIdle(() => definitions.noteStored()),
  );
  teardown.defer('change queue', () => batcher.close());
  return batcher;
}
