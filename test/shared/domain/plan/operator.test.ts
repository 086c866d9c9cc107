import { describe, expect, test } from 'vitest';
import { isOpenTo, buildOrders, nextInteraction, type PlanOperation } from '../../../../shared/domain/plan/operator.ts';
import { HOLDER_GONE_MS } from '../../../../shared/domain/plan/run.ts';
import type { PlanRun, PlanRunStep } from '../../../../shared/schemas/plan-run.ts';

const NOW_MS = 1_000_000;
const STEP: PlanRunStep = {
  id: 'backup',
  kind: 'action',
  title: 'Back up',
  details: [],
  state: 'pending',
  started_at: null,
  ended_at: null,
  note: '',
};
const PLAN: PlanRun = {
  id: 7,
  revision: 1,
  from: '6.1.0',
  to: '6.5.0',
  created_at: 0,
  created_by: 'alice',
  state: 'open',
  holder: { who: 'alice', session: 'own', since: 0, last_seen: NOW_MS },
  verdict: 'pass',
  findings: [],
  steps: [STEP],
  backup: null,
  entities: null,
  log: [],
};
const OPERATOR = { session: 'own', nowMs: NOW_MS };
const THEIRS: PlanRun = { ...PLAN, holder: { who: 'bob', session: 'other', since: 0, last_seen: NOW_MS } };
const FREE: PlanRun = { ...PLAN, holder: null };
const FINAL: PlanRun = { ...PLAN, steps: [{ ...STEP, confirm: '6.5.0' }] };

const ON_STEP = { plan: 7, step: 'backup', state: 'pending' } as const;
const START: PlanOperation = { kind: 'start', ...ON_STEP };
const TAKE = { order: 'take', session: 'own', force: false } as const;

test.each<{ step: Partial<PlanRunStep>; interaction: ReturnType<typeof nextInteraction> }>([
  { step: { state: 'running', confirm: 'x' }, interaction: 'wait' },
  { step: { state: 'confirm', kind: 'manual' }, interaction: 'confirm' },
  { step: { kind: 'manual', confirm: 'x' }, interaction: 'type' },
  { step: { kind: 'action' }, interaction: 'agree' },
  { step: { kind: 'action', state: 'failed' }, interaction: 'agree' },
  { step: { kind: 'manual' }, interaction: 'start' },
  { step: { kind: 'check', state: 'failed' }, interaction: 'start' },
])('the next interaction for the plan step $step is: $interaction', ({ step, interaction }) => {
  expect(nextInteraction({ ...STEP, ...step })).toBe(interaction);
});

describe('the orders of an operator', () => {
  test.each<{ title: string; plan?: PlanRun; operation: PlanOperation; typed?: string; orders: readonly object[] }>([
    { title: 'a step is started', operation: START, orders: [{ order: 'start', session: 'own', step: 'backup' }] },
    {
      title: 'a plan without an owner is taken before a step is started',
      plan: FREE,
      operation: START,
      orders: [TAKE, { order: 'start', session: 'own', step: 'backup' }],
    },
    {
      title: 'a final step is started with the typed word',
      plan: FINAL,
      operation: START,
      typed: '6.5.0',
      orders: [{ order: 'start', session: 'own', step: 'backup', typed: '6.5.0' }],
    },
    {
      title: 'a step is skipped for a reason',
      operation: { kind: 'skip', ...ON_STEP },
      typed: 'made by hand',
      orders: [{ order: 'skip', session: 'own', step: 'backup', reason: 'made by hand' }],
    },
    {
      title: 'a step is confirmed',
      plan: { ...PLAN, steps: [{ ...STEP, state: 'confirm' }] },
      operation: { kind: 'confirm', ...ON_STEP, state: 'confirm' },
      orders: [{ order: 'confirm', session: 'own', step: 'backup' }],
    },
    { title: 'a plan without an owner is taken', plan: FREE, operation: { kind: 'take', plan: 7 }, orders: [TAKE] },
    {
      title: 'a plan of another owner is taken by force',
      plan: THEIRS,
      operation: { kind: 'take', plan: 7 },
      orders: [{ ...TAKE, force: true }],
    },
    {
      title: 'a plan is released',
      operation: { kind: 'release', plan: 7 },
      orders: [{ order: 'release', session: 'own' }],
    },
    {
      title: 'a plan is abandoned',
      operation: { kind: 'abandon', plan: 7 },
      typed: 'too late',
      orders: [{ order: 'abandon', session: 'own', reason: 'too late' }],
    },
  ])(
    'an input of the operator becomes orders to the backend: $title',
    ({ plan = PLAN, operation, typed = '', orders }) => {
      expect(buildOrders(plan, operation, typed, OPERATOR)).toEqual({ kind: 'orders', orders });
    },
  );

  test.each<{ title: string; plan: PlanRun | undefined; operation: PlanOperation; typed?: string; outcome: object }>([
    { title: 'the plan is not known', plan: undefined, operation: START, outcome: { kind: 'over' } },
    { title: 'another plan replaced the plan', plan: { ...PLAN, id: 8 }, operation: START, outcome: { kind: 'over' } },
    { title: 'the plan is done', plan: { ...PLAN, state: 'done' }, operation: START, outcome: { kind: 'over' } },
    {
      title: 'another operator owns the plan',
      plan: THEIRS,
      operation: START,
      outcome: { kind: 'held', plan: THEIRS },
    },
    {
      title: 'the state of the step has changed',
      plan: { ...PLAN, steps: [{ ...STEP, state: 'failed' }] },
      operation: START,
      outcome: { kind: 'moved', to: { id: 'backup', state: 'failed' } },
    },
    {
      title: 'the last step is done',
      plan: { ...PLAN, steps: [{ ...STEP, state: 'done' }] },
      operation: START,
      outcome: { kind: 'moved', to: undefined },
    },
    {
      title: 'the wrong word was typed',
      plan: FINAL,
      operation: START,
      typed: '6.5',
      outcome: { kind: 'word', word: '6.5.0' },
    },
    { title: 'a skip has no reason', plan: PLAN, operation: { kind: 'skip', ...ON_STEP }, outcome: { kind: 'reason' } },
    {
      title: 'a rollback has no reason',
      plan: PLAN,
      operation: { kind: 'roll-back', plan: 7 },
      outcome: { kind: 'reason' },
    },
  ])('the console sends no order to the backend: $title', ({ plan, operation, typed = '', outcome }) => {
    expect(buildOrders(plan, operation, typed, OPERATOR)).toMatchObject(outcome);
  });
});

test('an owner who has not confirmed the ownership of a plan for long loses the plan', () => {
  expect(isOpenTo(THEIRS, OPERATOR)).toBe(false);
  expect(isOpenTo(THEIRS, { ...OPERATOR, nowMs: NOW_MS + HOLDER_GONE_MS })).toBe(true);
});
