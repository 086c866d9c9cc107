import { describe, expect, test } from 'vitest';
import { SCENE_EVENTS } from '../../../support/console-scene.ts';
import { detailApi, openDetailScene } from '../../../support/detail-scene.ts';
import { expectGolden } from '../../../support/screen.ts';
import type { ConsoleRig } from '../../../support/console-rig.ts';

const FIRST = 'db-014.eu-west-1 / postgres-repl';

async function openDetail(rig: ConsoleRig): Promise<void> {
  rig.type('\r');
  await rig.shows('60th');
}

/** Shows the pane beside the list, and waits until it has loaded the event under the cursor. */
async function openSplit(rig: ConsoleRig): Promise<void> {
  rig.type('P');
  await rig.pass(200);
  await rig.shows('60th');
}

describe.each([
  { columns: 80, rows: 24 },
  { columns: 120, rows: 36 },
  { columns: 200, rows: 50 },
])('at $columns x $rows', ({ columns, rows }) => {
  test('the screen of an event with all its details matches its picture', async () => {
    const rig = await openDetailScene({ columns, rows });
    await openDetail(rig);
    await expectGolden(rig.screen, `detail-whole-${String(columns)}x${String(rows)}`);
    expect(rig.screen.lines.every((line) => line.length <= columns)).toBe(true);
    expect(rig.screen.lines.at(-1)).not.toBe('');
  });
});

describe.each([
  { columns: 120, rows: 24 },
  { columns: 120, rows: 36 },
  { columns: 200, rows: 50 },
])('at $columns x $rows', ({ columns, rows }) => {
  test('the list with the event under the cursor beside it matches its picture', async () => {
    const rig = await openDetailScene({ columns, rows });
    await openSplit(rig);
    await expectGolden(rig.screen, `events-split-${String(columns)}x${String(rows)}`);
    expect(rig.screen.lines.every((line) => line.length <= columns)).toBe(true);
  });
});

describe('the screen of an event', () => {
  test('Tab moves the focus to the next panel, and the keys that move scroll only that panel', async () => {
    const rig = await openDetailScene();
    await openDetail(rig);
    rig.type('jj');
    await rig.shows(/━ Output ━+ 3-\d+ of 43 ━/);
    rig.type('\t');
    await rig.shows(/━ Notifications ━/, /─ Output ─+ 3-\d+ of 43 ─/);
    rig.type('\u001B[Z');
    await rig.shows('━ Output ━');
    expect(rig.screen.text).toContain('─ Notifications ─');
  });

  test('a search finds lines of the focused panel', async () => {
    const rig = await openDetailScene();
    await openDetail(rig);
    rig.type('/slot 40\r');
    await rig.shows('slot 40: restart_lsn');
    expect(rig.screen.text).toContain('1 of 1');
  });

  test('Enter on a relation opens its events as a filtered list', async () => {
    const rig = await openDetailScene();
    await openDetail(rig);
    rig.type('\t\t');
    await rig.shows('━ Related events ━');
    rig.type('\r');
    await rig.shows('filter: check=postgres-repl');
    expect(rig.screen.text).toContain('2 of 12 events shown');
  });

  test('Enter on a related event opens its screen', async () => {
    const rig = await openDetailScene();
    await openDetail(rig);
    rig.type('\t\tj\r');
    await rig.shows('events › db-008.eu-west-1 / postgres-repl');
    rig.escape();
    await rig.shows(`events › ${FIRST}`);
    expect(rig.screen.text).toContain('━ Related events ━');
  });

  test('Enter on the notifications opens their full explanation', async () => {
    const rig = await openDetailScene();
    await openDetail(rig);
    rig.type('\t\r');
    await rig.shows('handlers ›', 'occurrence (filter occurrences)');
    expect(rig.screen.text).toContain('pagerduty');
  });

  test('a narrow screen moves the cursor in the related events, and scrolls to it', async () => {
    const rig = await openDetailScene({ columns: 80, rows: 24 });
    await openDetail(rig);
    rig.type('\t\tj');
    await rig.shows('>related');
    expect(rig.screen.text).toContain('1 event of the check postgres-repl');
    rig.type('\r');
    await rig.shows('events › db-008.eu-west-1 / postgres-repl');
  });

  test('a digit opens its view', async () => {
    const rig = await openDetailScene();
    await openDetail(rig);
    rig.type('3');
    await rig.pass(400);
    await rig.shows('STATE▼');
    rig.type('2');
    await rig.pass(400);
    await rig.showsNo('events ›');
    expect(rig.screen.text).toContain('[2 Events]');
  });

  test('the details are loaded again when the event changes, but its activity at most every 10 s', async () => {
    const rig = await openDetailScene();
    await openDetail(rig);
    const [row] = SCENE_EVENTS;
    if (row === undefined) throw new Error('the scene has no events');
    const count = (part: string): number => rig.requests.filter(({ path }) => path.includes(part)).length;
    await rig.change({ events: { [`${row.client}/${row.check}`]: { ...row, occurrences: 42 } } });
    await rig.shows('42 in a row');
    await rig.pass(2000);
    await rig.shows('42 in a row');
    expect(count('/explain')).toBeGreaterThan(1);
    expect(count('/timeline?')).toBe(1);
  });

  test('the details of a user without access to the audit trail are complete except for it', async () => {
    const rig = await openDetailScene({
      api: (request) =>
        request.path.includes('/audit') ? { status: 403, body: { error: 'forbidden' } } : detailApi(request),
    });
    rig.type('\r');
    await rig.shows('bob silenced', 'Notifications');
    expect(rig.screen.text).not.toContain('requested a run');
  });
});

describe('the pane beside the list', () => {
  test('the pane has a heavy border and scrolls while it has the focus', async () => {
    const rig = await openDetailScene();
    await openSplit(rig);
    expect(rig.row(FIRST)).toContain(`┌─ ${FIRST}`);
    rig.type('\tjjj');
    await rig.shows(`┏━ ${FIRST}`);
    expect(rig.screen.text).not.toContain('lag 184 s > 60 s, wal sender not streaming  ┃');
    rig.type('\t');
    await rig.shows(`┌─ ${FIRST}`);
  });

  test('the pane follows the cursor at once, and loads the event only after the cursor stops', async () => {
    const rig = await openDetailScene();
    await openSplit(rig);
    const before = rig.requests.length;
    rig.type('j');
    await rig.shows('┌─ web-003.eu-west-1 / http-frontend');
    expect(rig.requests.length).toBe(before);
    await rig.pass(200);
    await rig.shows('alice@ops resolved');
    expect(rig.requests.length).toBeGreaterThan(before);
  });
});
