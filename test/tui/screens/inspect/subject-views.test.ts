import type { AnyTable } from '../../../../tui/list/list-table.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layOutColumns, tableRuns } from '../../../../tui/list/table-columns.ts';
import { runsWidth } from '../../../../tui/text/runs.ts';
import { inspectBody } from '../../../../tui/screens/inspect/body.ts';
import { inspectLayer, type SubjectData } from '../../../../tui/state/layers/inspect.ts';
import { CHECKS_VIEW } from '../../../../tui/screens/checks/table.ts';
import { CLIENTS_VIEW } from '../../../../tui/screens/clients/table.ts';
import { byKey } from '../../../support/console-rig.ts';
import { ConsoleDriver } from '../../../support/console-driver.ts';
import { aClientRow, anEventRow } from '../../../support/feed-rows.ts';

/** Returns text and tone of a cell: the column with this id in the row with this key. */
function cellOf(driver: ConsoleDriver, table: AnyTable, key: string, id: string): readonly [string, string] {
  const row = table.source?.row(driver.store, key);
  const column = table.columns.find((candidate) => candidate.id === id);
  if (column === undefined) throw new Error(`there is no column ${id}`);
  const { nowMs } = driver.store;
  return [column.text(row, nowMs), column.tone?.(row, nowMs) ?? 'plain'];
}

test.each([
  { status: 1, silenced: [], tone: 'warning' },
  { status: 2, silenced: [], tone: 'critical' },
  { status: 2, silenced: ['client:a:*'], tone: 'silenced' },
])('the age of a keepalive has the color of its event: $tone', ({ status, silenced, tone }) => {
  const keepalive = anEventRow({ client: 'a', check: 'keepalive', status, silenced_by: silenced });
  const clients = { a: aClientRow({ name: 'a' }), b: aClientRow({ name: 'b', timestamp: 0 }) };
  const driver = new ConsoleDriver().goLive({ clients, events: byKey([keepalive]) });
  expect(cellOf(driver, CLIENTS_VIEW, 'a', 'keepalive')[1]).toBe(tone);
  // A client without keepalive events is never overdue, because no keepalives are expected from it.
  expect(cellOf(driver, CLIENTS_VIEW, 'b', 'keepalive')[1]).toBe('plain');
});

function countsOf(driver: ConsoleDriver): readonly string[] {
  return ['ok', 'critical', 'warning', 'unknown', 'silenced'].map((id) => cellOf(driver, CHECKS_VIEW, 'disk', id)[0]);
}

describe('the page of a check', () => {
  const definition = { name: 'disk', interval: 60, subscribers: ['linux'], command: 'check-disk', next_run: null };
  const events = byKey([
    anEventRow({ client: 'a', check: 'disk', status: 2 }),
    anEventRow({ client: 'b', check: 'disk', status: 1 }),
    anEventRow({ client: 'c', check: 'disk', status: 2, silenced_by: ['x'] }),
    anEventRow({ client: 'a', check: 'other', status: 2 }),
  ]);

  test('the page of a check shows the counts of its results and of its silenced events', () => {
    const driver = new ConsoleDriver().goLive({ events });
    const results = { ok: 12_345_678, warning: 1, critical: 2, unknown: 0 };
    driver.store.answers.viewLoaded('checks', [{ ...definition, results }]);
    expect(countsOf(driver)).toEqual(['12345k', '2', '1', '0', '1']);
  });

  test('the page of a check counts events if the backend does not count results', () => {
    const driver = new ConsoleDriver().goLive({ events });
    driver.store.answers.viewLoaded('checks', [definition]);
    expect(countsOf(driver)).toEqual(['-', '1', '1', '0', '1']);
    driver.change({ events: { 'a/disk': null } });
    expect(countsOf(driver)).toEqual(['-', '0', '1', '0', '1']);
  });

  test.each([
    { about: {}, schedule: 'every 1m' },
    { about: { interval: undefined, cron: '*/5 * * * *' }, schedule: '*/5 * * * *' },
    { about: { publish: false }, schedule: 'on request' },
  ])('the page of a check shows its schedule "$schedule"', ({ about, schedule }) => {
    const driver = new ConsoleDriver().goLive({});
    driver.store.answers.viewLoaded('checks', [{ ...definition, ...about }]);
    expect(cellOf(driver, CHECKS_VIEW, 'disk', 'schedule')[0]).toBe(schedule);
  });

  test('the page of a check counts down to its next run', () => {
    const driver = new ConsoleDriver().goLive({});
    driver.store.answers.viewLoaded('checks', [{ ...definition, next_run: driver.clock.now() / 1000 + 90 }]);
    const next = (): string => cellOf(driver, CHECKS_VIEW, 'disk', 'next')[0];
    expect(next()).toBe('1m');
    driver.pass(60_000);
    expect(next()).toBe('30s');
    driver.pass(30_000);
    expect(next()).toBe('now');
  });
});

test('a hostile detail of a client draws no control byte and does not shift a column', () => {
  const driver = new ConsoleDriver({ columns: 100, rows: 30 }).goLive({});
  const nasty = fc
    .array(fc.constantFrom('\u001B[2J', '\u0007', '\u009B', '\u202E', '\u200B', '漢', '👩‍👩‍👧', 'a', ' ', '\n', '\t'), {
      maxLength: 20,
    })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(nasty, nasty, nasty, (name, output, team) => {
      const check = {
        name,
        status: 2,
        executed: 100,
        history: [0, 2],
        output,
        interval: 60,
        event: null,
        next_run: null,
      };
      const client = { name, address: team, subscriptions: [team], timestamp: 1, version: output, team };
      const data: SubjectData = { kind: 'client', detail: { client, checks: [check] } };
      const layer = inspectLayer({ kind: 'client', name });
      for (const raw of [false, true]) {
        const body = inspectBody(driver.store, { ...layer, raw, load: { ...layer.load, data } });
        const rows = body.rows.map((row) => {
          const placed = layOutColumns(body.table ?? { columns: [] }, new Set(), 100);
          const about = { placed, columns: 100, nowMs: driver.store.nowMs, isMarked: false, stale: false };
          return tableRuns({ key: row.key, row, isRemoved: false }, { ...about, isCursor: false });
        });
        for (const row of rows) expect(runsWidth(row)).toBe(100);
        for (const line of [...body.head, ...body.text, ...rows]) {
          expect(line.map(({ text }) => text).join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
          expect(runsWidth(line)).toBeLessThanOrEqual(100);
        }
      }
    }),
  );
});
