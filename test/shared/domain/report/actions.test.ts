import { describe, expect, test } from 'vitest';
import { actionOf, isOtherChange, mergeActions } from '../../../../shared/domain/report/actions.ts';
import type { ReportAction } from '../../../../shared/schemas/report.ts';
import type { TimelineRow } from '../../../../shared/schemas/timeline.ts';

const row = (more: Partial<TimelineRow> & Pick<TimelineRow, 'kind'>): TimelineRow => ({ id: 1, at: 1000, ...more });

const actionOfRow = (more: Partial<TimelineRow> & Pick<TimelineRow, 'kind'>): string | undefined => {
  const action = actionOf(row(more));
  return action && `${action.who} ${action.action} ${action.targets.join(' ')}`;
};

const silence = { kind: 'silence', silence: 'client:web-1:disk', subscription: 'client:web-1', check: 'disk' } as const;

describe('an action in the report (spec, report 3)', () => {
  test.each<{ name: string; kind: Partial<TimelineRow> & Pick<TimelineRow, 'kind'>; expected: string | undefined }>([
    { name: 'a created silence', kind: { ...silence, by: 'ada' }, expected: 'ada silenced web-1 / disk' },
    {
      name: 'a silence is listed under its creator instead of the user who sent it',
      kind: { ...silence, by: 'dashboard', creator: 'ada' },
      expected: 'ada silenced web-1 / disk',
    },
    {
      name: 'a silence on one check of one client that ends with the event is an acknowledgement',
      kind: { ...silence, by: 'ada', expire_on_resolve: true },
      expected: 'ada acknowledged web-1/disk',
    },
    {
      name: 'an acknowledgement is listed under its owner',
      kind: { kind: 'acknowledge', client: 'web-1', check: 'disk', creator: 'bob', by: 'ada' },
      expected: 'bob acknowledged web-1/disk',
    },
    {
      name: 'an acknowledgement that expired is not listed',
      kind: { kind: 'unacknowledge', client: 'web-1', check: 'disk' },
      expected: undefined,
    },
    {
      name: 'a silence of more than one event is not an acknowledgement',
      kind: { kind: 'silence', silence: '*:disk', check: 'disk', by: 'ada', expire_on_resolve: true },
      expected: 'ada silenced check:disk',
    },
    {
      name: 'a silence that a user ended',
      kind: { ...silence, kind: 'clear', by: 'bob' },
      expected: 'bob ended web-1 / disk',
    },
    { name: 'an expired silence is not listed', kind: { ...silence, kind: 'expire' }, expected: undefined },
    {
      name: 'an event that a user resolved',
      kind: { kind: 'resolve', client: 'web-1', check: 'disk', by: 'ada' },
      expected: 'ada resolved web-1/disk',
    },
    {
      name: 'an event that a result resolved is not listed',
      kind: { kind: 'resolve', client: 'web-1', check: 'disk' },
      expected: undefined,
    },
    {
      name: 'deleted results',
      kind: { kind: 'remove', client: 'web-1', check: 'disk', by: 'ada' },
      expected: 'ada deleted web-1/disk',
    },
    {
      name: 'a renamed check',
      kind: { kind: 'rename', client: 'web-1', check: 'swap', to: 'paging', by: 'ada' },
      expected: 'ada renamed swap > paging',
    },
  ])('the report decides whether and how an action is listed: $name', ({ kind, expected }) => {
    expect(actionOfRow(kind)).toBe(expected);
  });
});

const action = (at: number, target: string, more: Partial<ReportAction> = {}): ReportAction => ({
  at: at * 1000,
  who: 'ada',
  action: 'resolved',
  targets: [target],
  count: 1,
  ...more,
});

describe('equal actions of one minute in the report', () => {
  test('equal actions of one minute are listed once with the first time, five targets and their number', () => {
    const actions = [9, 8, 7, 6, 5, 4, 3].map((at) => action(at, `web-${String(at)}/disk`));
    expect(mergeActions(actions)).toEqual([
      {
        at: 3000,
        who: 'ada',
        action: 'resolved',
        targets: ['web-3/disk', 'web-4/disk', 'web-5/disk', 'web-6/disk', 'web-7/disk'],
        count: 7,
      },
    ]);
  });

  test.each<[string, Partial<ReportAction>]>([
    ['of another user', { who: 'bob' }],
    ['of another kind', { action: 'deleted' }],
    ['with another reason', { reason: 'CHG-2' }],
    ['in another namespace', { namespace: 'shop' }],
    ['an hour earlier', { at: -3_600_000 }],
  ])('the report lists an action %s separately', (_, more) => {
    expect(mergeActions([action(2, 'b/disk'), action(1, 'a/disk', more)])).toHaveLength(2);
  });

  test('silences that the report lists together end with the last silence, or never', () => {
    const [first] = mergeActions([action(2, 'b', { end: 5 }), action(1, 'a', { end: 9 })]);
    expect(first?.end).toBe(9);
    expect(mergeActions([action(2, 'b'), action(1, 'a', { end: 9 })])[0]).not.toHaveProperty('end');
  });
});

test('the report takes from the audit trail only what the timeline does not contain', () => {
  expect(['silence.create', 'bulk', 'dump', 'definition.change', 'client.create'].filter(isOtherChange)).toEqual([
    'definition.change',
    'client.create',
  ]);
});
