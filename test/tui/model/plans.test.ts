import { describe, expect, test } from 'vitest';
import { upgradeRow } from '../../../daemon/backend/model/plans/feed-rows.ts';
import { createUpgradePlan } from '../../../shared/domain/plan/plan.ts';
import { executeOrder, newPlanRun } from '../../../shared/domain/plan/run.ts';
import { MonError } from '../../../shared/errors.ts';
import type { PlanRun } from '../../../shared/schemas/plan-run.ts';
import { runUpgradeEffect } from '../../../tui/effects/upgrade-effects.ts';
import type { Effect } from '../../../tui/state/effects.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { someFacts } from '../../support/upgrade-facts.ts';

function aPlan(console: ConsoleDriver, { id = 1, session = 'console-1' } = {}): PlanRun {
  const nowMs = console.clock.now();
  const plan = createUpgradePlan({ from: [6, 4, 0], to: [6, 5, 0] }, someFacts({ product: 'mon' }));
  const made = newPlanRun(plan, { id, who: 'alice', nowMs, entities: 20 });
  const outcome = executeOrder(made, { order: 'take', session, force: false }, 'alice', nowMs);
  if (outcome.kind === 'refused') throw new Error(outcome.reason);
  return outcome.plan;
}

/** Returns the requests about plans since the last call, oldest first. */
function takeRequests(console: ConsoleDriver): readonly Effect[] {
  return console.store.takeEffects().filter(({ kind }) => kind.endsWith('-plan'));
}

function onView7(): ConsoleDriver {
  const console = new ConsoleDriver().goLive({});
  console.type(':upgrade\r');
  takeRequests(console);
  return console;
}

test('the clock of the backend decides whether the owner of an upgrade plan is present', () => {
  const console = new ConsoleDriver().goLive({});
  const plan = aPlan(console, { session: 'console-2' });
  const backendMs = console.clock.now();
  console.clock.advance(180_000);
  console.store.greeted({ name: 'one', version: '1.0.0', time: backendMs });
  console.store.rowsArrived({ upgrades: { '1': upgradeRow(plan) } }, { replace: false, timeMs: backendMs });
  console.store.plans.arrived(plan);
  console.type(':upgrade\r');
  takeRequests(console);
  console.type('Y');
  expect(takeRequests(console)).toEqual([]);
  expect(console.store.state.layers).toMatchObject([{ title: 'Take ownership of plan #1 from alice' }]);
  console.type('\t\r');
  expect(takeRequests(console)).toMatchObject([{ kind: 'order-plan', orders: [{ order: 'take', force: true }] }]);
});

describe('the loading of a plan', () => {
  test('an upgrade plan is loaded once when view 7 is open and the feed reports a newer revision', () => {
    const console = onView7();
    const plan = aPlan(console);
    console.change({ upgrades: { '1': upgradeRow(plan) } });
    console.pass(0);
    expect(takeRequests(console)).toEqual([{ kind: 'load-plan', id: 1 }]);
    console.pass(100);
    expect(takeRequests(console)).toEqual([]);
    console.store.plans.arrived(plan);
    console.pass(100);
    expect(takeRequests(console)).toEqual([]);
    console.change({ upgrades: { '1': { ...upgradeRow(plan), revision: 2 } } });
    console.pass(100);
    expect(takeRequests(console)).toEqual([{ kind: 'load-plan', id: 1 }]);
  });

  test('an upgrade plan is loaded in another view than 7 only by its owner', () => {
    const watcher = new ConsoleDriver().goLive({});
    watcher.change({ upgrades: { '1': upgradeRow(aPlan(watcher)) } });
    watcher.pass(100);
    expect(takeRequests(watcher)).toEqual([]);
    const holder = new ConsoleDriver().goLive({});
    const plan = aPlan(holder);
    holder.store.plans.arrived(plan);
    holder.change({ upgrades: { '1': { ...upgradeRow(plan), revision: 2 } } });
    holder.pass(100);
    expect(takeRequests(holder)).toEqual([{ kind: 'load-plan', id: 1 }]);
  });

  test('an upgrade plan is loaded again two seconds after a failed request', () => {
    const console = onView7();
    console.change({ upgrades: { '1': upgradeRow(aPlan(console)) } });
    console.pass(0);
    takeRequests(console);
    console.store.plans.failed('busy');
    console.pass(1900);
    expect(takeRequests(console)).toEqual([]);
    console.pass(200);
    expect(takeRequests(console)).toEqual([{ kind: 'load-plan', id: 1 }]);
  });

  test('an upgrade plan is loaded again after the connection to the backend could not be opened', async () => {
    const console = onView7();
    console.change({ upgrades: { '1': upgradeRow(aPlan(console)) } });
    console.pass(0);
    const [effect] = takeRequests(console);
    if (effect?.kind !== 'load-plan') throw new Error('it is not asked for');
    const problem = 'the authorities cannot be read';
    await runUpgradeEffect(effect, {
      store: console.store,
      upgrades: () => Promise.reject(new MonError('invalid', problem)),
    });
    expect(console.store.plans.failure).toBe(problem);
    console.pass(2100);
    expect(takeRequests(console)).toEqual([{ kind: 'load-plan', id: 1 }]);
  });

  test('an upgrade plan is loaded even while the feed is paused', () => {
    const console = onView7();
    console.type('Y');
    console.change({ upgrades: { '1': upgradeRow(aPlan(console)) } });
    console.pass(100);
    expect(takeRequests(console)).toEqual([{ kind: 'load-plan', id: 1 }]);
  });
});

test('an outdated response to a request for an upgrade plan is ignored', () => {
  const console = onView7();
  const plan = { ...aPlan(console), revision: 5 };
  console.store.plans.arrived(plan);
  console.store.plans.arrived({ ...plan, revision: 4 });
  expect(console.store.plans.plan?.revision).toBe(5);
});

test('the console shows the newest of several upgrade plans, and a snapshot drops plans that are gone', () => {
  const console = onView7();
  const [first, second] = [aPlan(console), aPlan(console, { id: 2 })];
  console.change({ upgrades: { '2': upgradeRow(second), '1': upgradeRow(first) } });
  expect(console.store.plans.row?.id).toBe(2);
  console.goLive({ upgrades: { '1': upgradeRow(first) } });
  expect(console.store.plans.row?.id).toBe(1);
});

test('the owner of an upgrade plan confirms the ownership every 45 seconds, in any view', () => {
  const console = new ConsoleDriver().goLive({});
  const plan = aPlan(console);
  console.store.plans.arrived(plan);
  console.change({ upgrades: { '1': upgradeRow(plan) } });
  console.pass(100);
  expect(takeRequests(console)).toEqual([]);
  console.pass(45_000);
  expect(takeRequests(console)).toEqual([{ kind: 'hold-plan', id: 1 }]);
  console.pass(100);
  expect(takeRequests(console)).toEqual([]);
  console.store.plans.arrived({ ...plan, revision: 2, holder: null });
  console.pass(90_000);
  expect(takeRequests(console)).toEqual([]);
});
