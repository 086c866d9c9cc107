import { describe, expect, test } from 'vitest';
import { createUpgradePlan } from '../../../../shared/domain/plan/plan.ts';
import {
  endInterruptedStep,
  executeOrder,
  currentStep,
  finishStep,
  HOLDER_GONE_MS,
  isDraining,
  newPlanRun,
} from '../../../../shared/domain/plan/run.ts';
import { parsePath } from '../../../../shared/domain/plan/version.ts';
import type { PlanRun, PlanOrder } from '../../../../shared/schemas/plan-run.ts';
import { someFacts } from '../../../support/upgrade-facts.ts';

const NOW = 1_000_000;
const SESSION = 'console-1';
const DONE = { isDone: true, note: '' };

function aPlanRun(): PlanRun {
  const path = parsePath('5.7.0', '5.8.0');
  if ('problem' in path) throw new Error(path.problem);
  return newPlanRun(createUpgradePlan(path, someFacts({ product: 'mon' })), {
    id: 1,
    who: 'alice',
    nowMs: NOW,
    entities: 20,
  });
}

function ordered(runbook: PlanRun, order: PlanOrder, who = 'alice', nowMs = NOW): PlanRun {
  const outcome = executeOrder(runbook, order, who, nowMs);
  if (outcome.kind === 'refused') throw new Error(outcome.reason);
  return outcome.plan;
}

function refusal(runbook: PlanRun, order: PlanOrder, who = 'alice', nowMs = NOW): string {
  const outcome = executeOrder(runbook, order, who, nowMs);
  return outcome.kind === 'refused' ? outcome.reason : 'it was possible';
}

const ownedPlan = () => ordered(aPlanRun(), { order: 'take', session: SESSION, force: false });

function stateOf(runbook: PlanRun, id: string) {
  return runbook.steps.find((step) => step.id === id)?.state;
}

/** Returns an upgrade run in which all steps before this one are completed. */
function until(id: string): PlanRun {
  let runbook = ownedPlan();
  for (const { id: before } of runbook.steps) {
    if (before === id) break;
    const step = currentStep(runbook);
    const running = ordered(runbook, start(before, step?.confirm));
    runbook =
      step?.kind === 'manual'
        ? finishStep(ordered(running, { order: 'confirm', session: SESSION, step: before }), before, DONE, NOW)
        : finishStep(running, before, DONE, NOW);
  }
  return runbook;
}

const start = (step: string, typed?: string): PlanOrder => ({
  order: 'start',
  session: SESSION,
  step,
  ...(typed === undefined ? {} : { typed }),
});

describe('the ownership of a plan', () => {
  test('an upgrade plan without an owner accepts no order', () => {
    expect(refusal(aPlanRun(), start('rules'))).toBe('take ownership of the plan first');
  });

  test('an order of another console, even of the same user, is rejected with the name of the plan owner', () => {
    expect(refusal(ownedPlan(), { ...start('rules'), session: 'console-2' })).toBe(
      'alice owns the plan: take ownership first',
    );
    expect(refusal(ownedPlan(), { order: 'take', session: 'console-2', force: false }, 'bob')).toBe(
      'alice owns the plan',
    );
  });

  test('an upgrade plan is taken over by force or when its owner is gone', () => {
    const take: PlanOrder = { order: 'take', session: 'console-2', force: false };
    expect(ordered(ownedPlan(), { ...take, force: true }, 'bob').holder?.who).toBe('bob');
    expect(ordered(ownedPlan(), take, 'bob', NOW + HOLDER_GONE_MS).log.at(-1)?.text).toBe(
      'taken over by bob from alice',
    );
  });

  test('the owner can release an upgrade plan', () => {
    expect(ordered(ownedPlan(), { order: 'release', session: SESSION }).holder).toBeNull();
  });
});

describe('the steps of a plan', () => {
  test('the steps of an upgrade plan run one after the other', () => {
    expect(refusal(ownedPlan(), start('backup'))).toBe('the next step is rules');
    expect(refusal(ownedPlan(), start('nothing'))).toBe('the plan has no step nothing');
  });

  test('a check step of a plan runs without confirmation and then allows the next step', () => {
    const running = ordered(ownedPlan(), start('rules'));
    expect(stateOf(running, 'rules')).toBe('running');
    const done = finishStep(running, 'rules', { isDone: true, note: 'nothing in the way', findings: [] }, NOW + 5);
    expect(stateOf(done, 'rules')).toBe('done');
    expect(done.verdict).toBe('pass');
    expect(currentStep(done)?.id).toBe('backup');
  });

  test('a failed step of a plan can be started again, or skipped with a reason', () => {
    const failed = finishStep(ordered(ownedPlan(), start('rules')), 'rules', { isDone: false, note: '1 blocks' }, NOW);
    expect(stateOf(failed, 'rules')).toBe('failed');
    expect(stateOf(ordered(failed, start('rules')), 'rules')).toBe('running');
    const skipped = ordered(failed, { order: 'skip', session: SESSION, step: 'rules', reason: 'known' });
    expect(skipped.steps[0]).toMatchObject({ state: 'skipped', note: 'known' });
  });

  test('a manual step of a plan is confirmed, and then verified if that is possible', () => {
    const confirming = ordered(until('restart-backend'), start('restart-backend'));
    expect(stateOf(confirming, 'restart-backend')).toBe('confirm');
    const looking = ordered(confirming, { order: 'confirm', session: SESSION, step: 'restart-backend' });
    expect(stateOf(looking, 'restart-backend')).toBe('running');
    const notYet = finishStep(looking, 'restart-backend', { isDone: false, note: 'not healthy' }, NOW);
    expect(stateOf(notYet, 'restart-backend')).toBe('confirm');
  });

  test('the confirmation of a manual step that cannot be verified completes the step', () => {
    const confirming = ordered(until('install'), start('install'));
    const done = ordered(confirming, { order: 'confirm', session: SESSION, step: 'install' });
    expect(done.steps.find(({ id }) => id === 'install')).toMatchObject({ state: 'done', note: 'confirmed by alice' });
  });

  test('an irreversible step of a plan requires a typed word and cannot be skipped', () => {
    const before = until('migrate');
    expect(refusal(before, start('migrate'))).toBe('migrate cannot be undone: type 5.8.0 to run it');
    expect(refusal(before, start('migrate', 'yes'))).toContain('type 5.8.0');
    expect(stateOf(ordered(before, start('migrate', '5.8.0')), 'migrate')).toBe('running');
    expect(refusal(before, { order: 'skip', session: SESSION, step: 'migrate', reason: 'no time' })).toContain(
      'abandon',
    );
  });

  test('an upgrade plan is done after its last step and then has no owner', () => {
    const last = until('entities');
    const done = finishStep(ordered(last, start('entities')), 'entities', { isDone: true, note: '20, as before' }, NOW);
    expect(done).toMatchObject({ state: 'done', holder: null });
    expect(refusal(done, start('entities'))).toBe('the plan is closed: done');
  });

  test('a restart of the backend marks the running step of a plan as failed, and the step can be started again', () => {
    const restarted = endInterruptedStep(ordered(until('migrate'), start('migrate', '5.8.0')), NOW);
    expect(stateOf(restarted, 'migrate')).toBe('failed');
    expect(stateOf(ordered(restarted, start('migrate', '5.8.0')), 'migrate')).toBe('running');
    expect(endInterruptedStep(ownedPlan(), NOW)).toEqual(ownedPlan());
  });
});

describe('the rejection of results during a plan', () => {
  test('results are rejected from the end of the drain step to the end of the resume step', () => {
    expect(isDraining(until('drain'))).toBe(false);
    expect(isDraining(until('migrate'))).toBe(true);
    expect(isDraining(until('resume'))).toBe(true);
    expect(isDraining(until('versions'))).toBe(false);
  });

  test('results are accepted during a plan whose drain step was skipped', () => {
    const skipped = ordered(until('drain'), {
      order: 'skip',
      session: SESSION,
      step: 'drain',
      reason: 'a small store',
    });
    expect(isDraining(skipped)).toBe(false);
  });

  test('results are accepted after the plan has ended', () => {
    expect(isDraining(ordered(until('migrate'), { order: 'abandon', session: SESSION, reason: 'late' }))).toBe(false);
  });
});

describe('the rollback of a plan', () => {
  test('an upgrade plan can be rolled back only to a backup that the plan has made', () => {
    const order: PlanOrder = { order: 'roll-back', session: SESSION, reason: 'agents fail' };
    expect(refusal(ownedPlan(), order)).toBe('the plan has no backup to roll back to');
    const backedUp = finishStep(
      ordered(until('backup'), start('backup')),
      'backup',
      { isDone: true, note: '', backup: 'b/1' },
      NOW,
    );
    expect(ordered(backedUp, order)).toMatchObject({ state: 'rolled-back', backup: 'b/1' });
  });

  test('an upgrade plan can be abandoned, except while a step runs', () => {
    const order: PlanOrder = { order: 'abandon', session: SESSION, reason: 'another day' };
    expect(ordered(ownedPlan(), order).state).toBe('abandoned');
    expect(refusal(ordered(ownedPlan(), start('rules')), order)).toBe('wait until the running step has finished');
  });
});

test('the log of an upgrade plan keeps its newest lines', () => {
  let runbook = ownedPlan();
  for (let at = 0; at < 600; at++) {
    runbook = finishStep(ordered(runbook, start('rules')), 'rules', { isDone: false, note: String(at) }, NOW + at);
  }
  expect(runbook.log).toHaveLength(500);
  expect(runbook.log.at(-1)?.text).toBe('not done: 599');
});
