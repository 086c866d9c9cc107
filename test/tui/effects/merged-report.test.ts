import { describe, expect, test } from 'vitest';
import type { Report, ReportCheck } from '../../../shared/schemas/report.ts';
import { joinedReport } from '../../../tui/effects/merged-report.ts';
import { anEventRow } from '../../support/feed-rows.ts';
import { openAllRig, startMember } from '../../support/two-backends.ts';

const SINCE = 1_790_000_000_000;
const HOUR = 3_600_000;

function aCheck(client: string, more: Partial<ReportCheck> = {}): ReportCheck {
  const check = { client, check: 'disk', worst: 2, began: SINCE, ended: null, outages: 1, down: 60, silenced: 0 };
  return { ...check, output: 'full', silences: [], ...more };
}

function aReport(more: Partial<Report> = {}): Report {
  return {
    since: SINCE,
    until: SINCE + 12 * HOUR,
    complete_since: SINCE,
    truncated: false,
    total: { checks: 1, clients: 1, outages: 1, down: 60 },
    open: { count: 0, checks: [] },
    resolved: { count: 0, checks: [] },
    inhibited: { checks: 0, count: 0, causes: [] },
    noisiest: [],
    actions: { count: 0, actions: [] },
    changes: null,
    ...more,
  };
}

type Mutable = Parameters<typeof joinedReport>[0][number]['report'];
const joined = (eu: Partial<Report>, us: Partial<Report>): Report =>
  joinedReport([
    { backend: 'eu', report: aReport(eu) as Mutable },
    { backend: 'us', report: aReport(us) as Mutable },
  ]);

describe('the merged report of several backends', () => {
  test('a merged report lists the problems of both backends by severity and duration, with the context in each name', () => {
    const { open, resolved, total } = joined(
      {
        open: { count: 1, checks: [aCheck('db-1', { status: 1, silences: [{ id: 'client:db-1:disk', who: 'ada' }] })] },
        resolved: { count: 120, checks: [aCheck('a', { down: 5 })] },
      },
      {
        open: { count: 1, checks: [aCheck('db-1', { status: 2 })] },
        resolved: { count: 1, checks: [aCheck('b', { down: 50 })] },
      },
    );
    expect(open.checks.map(({ client, silences }) => [client, silences.map(({ id }) => id)])).toEqual([
      ['db-1@us', []],
      ['db-1@eu', ['client:db-1:disk@eu']],
    ]);
    expect([resolved.count, resolved.checks.map(({ client }) => client)]).toEqual([121, ['b@us', 'a@eu']]);
    expect(total).toEqual({ checks: 2, clients: 2, outages: 2, down: 120 });
  });

  test('a merged report lists the steps of escalations of both backends, the newest first', () => {
    const step = { handler: 'page', step: 1, of: 2, targets: ['web-1/disk'], count: 1, notified: ['ada'] };
    const { escalations } = joined(
      { escalations: { count: 4, steps: [{ ...step, at: SINCE + 1 }] } },
      { escalations: { count: 1, steps: [{ ...step, at: SINCE + 2 }] } },
    );
    expect(escalations?.count).toBe(5);
    expect(escalations?.steps.map(({ at, targets }) => `${String(at - SINCE)} ${targets.join()}`)).toEqual([
      '2 web-1/disk@us',
      '1 web-1/disk@eu',
    ]);
    expect(joined({}, {}).escalations).toBeUndefined();
  });

  test('a merged report adds up the problems that both backends have with the same check', () => {
    const http = { check: 'http', count: 3, status: 1, began: SINCE, output: 'slow' };
    const { open_by_check: byCheck } = joined(
      { open_by_check: [{ ...http, client: 'web-1' }] },
      { open_by_check: [{ ...http, client: 'web-2', status: 2, began: SINCE + HOUR, output: 'HTTP 502' }] },
    );
    expect(byCheck).toEqual([{ ...http, count: 6, client: 'web-2@us', status: 2, output: 'HTTP 502' }]);
  });

  test('a merged report adds up the numbers of open problems over time', () => {
    const eu = { period: 150, critical: [null, 1, 2], warning: [null, 0, 0], unknown: [null, 0, 1] };
    const us = { period: 150, critical: [4, 4, 4], warning: [1, 1, 1], unknown: [0, 0, 0] };
    expect(joined({ open_over_time: eu }, { open_over_time: us }).open_over_time).toEqual({
      period: 150,
      critical: [null, 5, 6],
      warning: [null, 1, 1],
      unknown: [null, 0, 1],
    });
  });

  test('a merged report lists inhibited checks last and sorts the root causes by size', () => {
    const cause = { rule: 'behind-switch', client: 'sw-1', check: 'uplink' };
    const { open, inhibited } = joined(
      {
        open: { count: 1, checks: [aCheck('db-1', { status: 2, inhibited_by: cause })] },
        inhibited: { checks: 2, count: 1, causes: [{ ...cause, checks: 2, clients: 2, open: 1 }] },
      },
      {
        open: { count: 1, checks: [aCheck('db-1', { status: 1 })] },
        inhibited: { checks: 5, count: 1, causes: [{ ...cause, checks: 5, clients: 5, open: 0 }] },
      },
    );
    expect(open.checks.map(({ client, inhibited_by: by }) => [client, by?.client])).toEqual([
      ['db-1@us', undefined],
      ['db-1@eu', 'sw-1@eu'],
    ]);
    expect([inhibited.checks, inhibited.count]).toEqual([7, 2]);
    expect(inhibited.causes.map(({ client, checks }) => [client, checks])).toEqual([
      ['sw-1@us', 5],
      ['sw-1@eu', 2],
    ]);
  });

  test('a merged report lists the noisiest checks and the newest actions of both backends first', () => {
    const noise = { check: 'disk', outages: 3, clients: 1, client: 'a', client_outages: 3 };
    const action = { who: 'ada', action: 'resolved' as const, targets: ['a/disk'], count: 1 };
    const { noisiest, actions, changes } = joined(
      { noisiest: [noise], actions: { count: 1, actions: [{ ...action, at: SINCE }] } },
      {
        noisiest: [{ ...noise, outages: 9 }],
        actions: { count: 1, actions: [{ ...action, at: SINCE + 1 }] },
        changes: {
          count: 1,
          changes: [{ id: 7, at: SINCE, who: 'bob', action: 'namespace.create', target: 'shop', reason: null }],
        },
      },
    );
    expect(noisiest.map(({ check, outages }) => [check, outages])).toEqual([
      ['disk@us', 9],
      ['disk@eu', 3],
    ]);
    expect([actions.count, actions.actions.map(({ targets }) => targets)]).toEqual([2, [['a/disk@us'], ['a/disk@eu']]]);
    expect(changes).toMatchObject({ count: 1, changes: [{ target: 'shop@us' }] });
  });

  test.each<[string, Partial<Report>, Partial<Report>, unknown]>([
    ['the later start of both histories', { complete_since: SINCE + HOUR }, {}, [SINCE + HOUR, false]],
    ['no history at one backend', { complete_since: null }, {}, [null, false]],
    ['a truncated report of one backend', {}, { truncated: true, complete_since: SINCE + 1 }, [SINCE + 1, true]],
  ])('a merged report has the right start of its history: %s', (_title, eu, us, expected) => {
    const { complete_since: complete, truncated: isTruncated } = joined(eu, us);
    expect([complete, isTruncated]).toEqual(expected);
  });
});

/** Returns an API whose report contains an open problem of this client. */
const reporting =
  (client: string) =>
  (path: string): unknown =>
    path.includes('/report') ? aReport({ open: { count: 1, checks: [aCheck(client, { status: 2 })] } }) : undefined;

describe('the :report command in the list of all contexts', () => {
  const event = anEventRow({ client: 'web-1', check: 'disk' });

  test('the :report command with all contexts merges the reports of all of them', async () => {
    const prod = await startMember([event], {}, reporting('db-1'));
    const lab = await startMember([event], {}, reporting('old-1'));
    const rig = await openAllRig({ prod, lab });
    await rig.shows('2 of 2 live');
    rig.type(':report\r');
    await rig.shows('db-1@prod');
    expect(rig.screen.text).toContain('old-1@lab');
  });

  test('the :report command is rejected with the name of the context if one of all contexts has no report', async () => {
    const prod = await startMember([event], {}, reporting('db-1'));
    const lab = await startMember([event]);
    const rig = await openAllRig({ prod, lab });
    await rig.shows('2 of 2 live');
    rig.type(':report\r');
    await rig.shows(/lab: /);
    expect(rig.screen.text).not.toContain('db-1@prod');
  });
});
