import { expect, test } from 'vitest';
import { watchAggregates } from '../../../../daemon/backend/aggregates/timers.ts';
import { openRuleWatch } from '../../../../daemon/backend/aggregates/rules.ts';
import { HandlingRig } from '../../../support/handling-rig.ts';

test('a clock jump moves the time at which the watch of aggregates started', async () => {
  await using rig = await HandlingRig.open({});
  const { registry, batcher, results, clock, log } = rig;
  const watch = watchAggregates({
    registry,
    batcher,
    results,
    clock,
    log,
    rules: () => ({}),
    isAwaitingBacklog: () => false,
  });
  rig.clock.advance(60_000);
  rig.clock.set(-3_600_000);
  const nowMs = rig.clock.now();
  const moment = (): unknown => rig.registry.state(openRuleWatch).momentAt(nowMs);
  expect(moment()).toEqual({ nowMs, sinceMs: nowMs - 60_000 });
  watch[Symbol.dispose]();
  expect(moment()).toEqual({ nowMs, sinceMs: 0 });
});
