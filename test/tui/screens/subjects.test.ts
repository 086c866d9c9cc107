import { describe, expect, test } from 'vitest';
import type { ConsoleRig } from '../../support/console-rig.ts';
import type { AvailabilityReport } from '../../../shared/schemas/availability.ts';
import { FEED_HELLO } from '../../support/feed-server.ts';
import { openScene } from '../../support/console-scene.ts';
import { subjectApi } from '../../support/subject-scene.ts';
import { expectGolden } from '../../support/screen.ts';
import { testPictures, type Picture } from '../../support/pictures.ts';

const PICTURES: readonly Picture[] = [
  { view: 'aggregates', play: async (rig) => openView(rig, '4', 'orders-db') },
  {
    view: 'aggregate',
    play: async (rig) => {
      await openView(rig, '4', 'web-frontend');
      rig.type('/web\r\r');
      await rig.shows('HTTP 502');
      rig.type('\rj');
      await rig.shows('web-011');
    },
  },
  { view: 'checks-results', play: async (rig) => openView(rig, '6', 'restore-drill') },
  {
    view: 'check',
    play: async (rig) => {
      await openView(rig, '6', 'postgres-repl');
      rig.type('/postgres\r\r');
      await rig.shows('run by', 'db-001');
    },
  },
  {
    view: 'check-run',
    play: async (rig) => {
      await openView(rig, '6', 'postgres-repl');
      rig.type('jj R');
      await rig.shows('Run 1 check now');
    },
  },
  {
    view: 'client',
    play: async (rig) => {
      await openView(rig, '5', 'db-014');
      rig.type('/db-014\r\r');
      await rig.shows('batch-import', 'warning after 40s');
      rig.type('j');
      await rig.shows('row 2/5');
    },
  },
  {
    view: 'client-json',
    play: async (rig) => {
      await openView(rig, '5', 'db-014');
      rig.type('/db-014\r\ry');
      await rig.shows('raw json', '"team"');
    },
  },
  {
    view: 'client-delete',
    play: async (rig) => {
      await openView(rig, '5', 'db-014');
      rig.type('/db-014\rD');
      await rig.shows('Delete 1 client');
    },
  },
  {
    view: 'result',
    play: async (rig) => {
      await openView(rig, '5', 'db-014');
      rig.type('/db-014\r\r');
      await rig.shows('batch-import');
      rig.type('Gk\r');
      await rig.shows('/var 12% used');
    },
  },
];

/** Results of the rules of an aggregate in the scene. */
const RULES = [
  { check: 'web-health', status: 1, text: '19 of 100 (19 %) not OK (warning from 15%, critical from 40%)', needs: 85 },
  { check: 'web-size', status: 0, text: '0 of 100 (0 %) stale (critical from 5)' },
];

describe.each([
  { columns: 80, rows: 24 },
  { columns: 120, rows: 36 },
])('an aggregate with rules at $columns x $rows', ({ columns, rows }) => {
  test('the page of an aggregate shows the threshold and value of each rule and is marked by the strictest rule', async () => {
    const rig = await openScene({
      columns,
      rows,
      api: (request) => {
        const answer = subjectApi(request);
        if (request.path !== '/api/mon/v1/aggregates/web-frontend') return answer;
        return {
          status: 200,
          body: { ...(subjectApi({ ...request, path: '/aggregates/web-frontend' }).body as object), rules: RULES },
        };
      },
    });
    await openView(rig, '4', 'web-frontend');
    rig.type('/web\r\r');
    await rig.shows('HTTP 502', 'needs 85%  ✗', '! WARN  web-health', '✓ OK    web-size');
    await expectGolden(rig.screen, `aggregate-rules-${String(columns)}x${String(rows)}`);
    expect(rig.screen.lines.every((line) => line.length <= columns)).toBe(true);
  });
});

describe.each([
  { columns: 80, rows: 24 },
  { columns: 120, rows: 36 },
])('the history of an aggregate at $columns x $rows', ({ columns, rows }) => {
  test('the page of an aggregate shows its percentage of OK results over 24 hours with the threshold', async () => {
    const requests: string[] = [];
    const rig = await openScene({
      columns,
      rows,
      api: (request) => {
        if (!request.path.startsWith('/api/mon/v1/availability')) return subjectApi(request);
        requests.push(request.path);
        return { status: 200, body: aggregateHistory() };
      },
    });
    await openView(rig, '4', 'web-frontend');
    rig.type('/web\r\r');
    await rig.shows('HTTP 502', '100 % ┤');
    await expectGolden(rig.screen, `aggregate-history-${String(columns)}x${String(rows)}`);
    // The aggregate is loaded every few seconds, its history once a minute.
    for (let second = 0; second < 20; second++) await rig.pass(1000);
    expect(requests).toHaveLength(1);
  });
});

/** Returns the history of an aggregate with 100 members, of which up to 30 failed at the same time. */
function aggregateHistory(): AvailabilityReport {
  const none = { ok: 0, warning: 0, critical: 0, unknown: 0, silenced: 0, no_data: 0, outages: 0, percent: null };
  const ok = Array.from({ length: 288 }, (_, index) => 98 - Math.max(0, 28 - Math.abs(index - 190)));
  return {
    since: FEED_HELLO.time - 24 * 3_600_000,
    until: FEED_HELLO.time,
    count: 100,
    total: none,
    over_time: { period: 300, ok, total: ok.map(() => 100) },
    checks: [],
  };
}

testPictures(PICTURES, async ({ play }, options) => {
  const rig = await openScene({ api: subjectApi, ...options });
  await play(rig);
  return rig;
});

async function openView(rig: ConsoleRig, digit: string, text: string): Promise<void> {
  rig.type(digit);
  await rig.pass(400);
  await rig.shows(text);
}
