import { describe, expect, test } from 'vitest';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { byKey, openRig, type ConsoleRig } from '../../support/console-rig.ts';
import { SCENE } from '../../support/console-scene.ts';
import { anEventRow } from '../../support/feed-rows.ts';
import { eventUnderCursor } from '../../../tui/state/console-state.ts';

const WHEEL_DOWN = '\u001B[<65;1;1M';
const WHEEL_UP = '\u001B[<64;1;1M';

async function openWithMouse({ columns = 120, rows = 36 } = {}): Promise<ConsoleRig> {
  const rig = await openRig({ columns, rows, snapshot: SCENE });
  rig.type(':set mouse on\r');
  return rig;
}

/** Returns the mouse report of a click where a text begins on the screen. Terminals count positions from 1. */
function clickOn(rig: ConsoleRig, text: string): string {
  const row = rig.screen.lines.findIndex((line) => line.includes(text));
  const column = rig.screen.lines[row]?.indexOf(text) ?? -1;
  if (column === -1) throw new Error(`${text} is not on the screen:\n${rig.screen.text}`);
  return `\u001B[<0;${String(column + 1)};${String(row + 1)}M`;
}

/** Returns the mouse report of a click on a hint in the last line. */
function clickOnHint(rig: ConsoleRig, text: string): string {
  const column = rig.screen.lines.at(-1)?.indexOf(text) ?? -1;
  if (column === -1) throw new Error(`there is no hint ${text}:\n${rig.screen.text}`);
  return `\u001B[<0;${String(column + 1)};${String(rig.screen.rows)}M`;
}

describe('the mouse', () => {
  test('the mouse wheel moves the cursor by three rows in lists, and also works in menus', async () => {
    const rig = await openWithMouse();
    rig.type(WHEEL_DOWN + WHEEL_DOWN);
    await rig.shows(/^> .*web-020/m);
    rig.type(WHEEL_UP);
    await rig.shows(/^> .*web-011/m);
    rig.type('x');
    await rig.shows('> open');
    rig.type(WHEEL_DOWN);
    await rig.shows(/> silence/);
    expect(rig.screen.text).not.toContain('> open');
  });

  test('a click on a row moves the cursor to that row', async () => {
    const rig = await openWithMouse();
    rig.type(clickOn(rig, 'ntp-001'));
    await rig.shows(/^> .*ntp-001/m);
    expect(rig.row('db-014')).toMatch(/^ {3}/);
  });

  test.each([
    { title: 'CLIENT', says: 'sort: client' },
    { title: 'CHECK', says: 'sort: check' },
    { title: 'COUNT', says: 'sort: count' },
    { title: 'STATUS', says: 'sort: severity, age, reversed' },
  ])('a click on the column title $title sorts the list by that column', async ({ title, says }) => {
    const rig = await openWithMouse();
    rig.type(clickOn(rig, title));
    await rig.shows(says);
    expect(rig.row(says)).toContain('12 of 12 events shown');
  });

  test('a second click on a column title reverses the order, in the list of events and in a table', async () => {
    const rig = await openWithMouse();
    rig.type(clickOn(rig, '5 Clients'));
    await rig.shows('[5 Clients]', 'KEEPALIVE');
    rig.type(clickOn(rig, 'KEEPALIVE'));
    await rig.shows('sort: keepalive');
    rig.type(clickOn(rig, 'KEEPALIVE'));
    await rig.shows('sort: keepalive, reversed');
    rig.type(clickOn(rig, 'mq-002'));
    await rig.shows(/^> .*mq-002/m);
    expect(rig.row('5 Clients')).toContain('[5 Clients]');
  });

  test('a click on a tab opens the view of the tab', async () => {
    const rig = await openWithMouse();
    for (const title of ['Overview', 'Silences', 'Aggregates', 'Checks', 'Upgrade', 'Events']) {
      rig.type(clickOn(rig, title));
      await rig.shows(new RegExp(`\\[\\d ${title}\\]`));
      expect(rig.screen.text.match(/\[\d \w+\]/g)).toHaveLength(1);
    }
  });

  test('a double click on a row opens it, and two slow clicks do not', async () => {
    const rig = await openWithMouse();
    rig.type(clickOn(rig, 'ntp-001'));
    await rig.pass(500);
    rig.type(clickOn(rig, 'ntp-001'));
    await rig.shows(/^> .*ntp-001/m);
    expect(rig.screen.text).toContain('12 of 12 events shown');
    rig.type(clickOn(rig, 'ntp-001'));
    await rig.shows('events › ntp-001.eu-west-1');
  });

  test('a click on a hint in the last line acts like its key, also in a dialog', async () => {
    const rig = await openWithMouse();
    rig.type(clickOnHint(rig, 's silence'));
    await rig.shows('Silence db-014.eu-west-1/postgres-repl');
    rig.type(clickOnHint(rig, 'Esc cancel'));
    await rig.showsNo('Silence db-014');
    rig.type(clickOnHint(rig, '? help'));
    await rig.shows('mon: key bindings for events');
    expect(rig.screen.text).toContain('mon: key bindings for events');
  });

  test('a click on the tab of a saved view opens it', async () => {
    const rig = await openRig({
      columns: 140,
      snapshot: SCENE,
      parts: {
        kept: {
          view: 'events',
          views: {},
          common: {
            savedViews: new Map([
              ['warnings', { view: 'events', filter: 'status=warn', sort: undefined, columns: undefined }],
            ]),
            commandHistory: [],
            themeChanges: {},
          },
        },
      },
    });
    rig.type(':set mouse on\r');
    await rig.shows('8 warnings 4');
    rig.type(clickOn(rig, '8 warnings'));
    await rig.shows('[8 warnings 4]', 'filter: status=warn');
    rig.type('9');
    await rig.shows('no saved view has the key 9: Ctrl-S saves this view');
    expect(rig.screen.text).toContain('[8 warnings 4]');
  });

  test('a click on a row behind a dialog does nothing', async () => {
    const rig = await openWithMouse();
    const click = clickOn(rig, 'ntp-001');
    rig.type('x');
    await rig.shows('> open');
    rig.type(click);
    rig.escape();
    await rig.shows(/^> .*db-014/m);
    expect(rig.row('ntp-001')).toMatch(/^ {3}/);
  });
});

test('mouse reports of the terminal are ignored if the mouse is not enabled', async () => {
  const rig = await openRig({ snapshot: SCENE });
  rig.type(`${clickOn(rig, 'ntp-001')}${WHEEL_DOWN}`);
  rig.type('j');
  await rig.shows(/^> .*web-003/m);
  expect(rig.row('ntp-001')).toMatch(/^ {3}/);
});

test('a click applies to the row that was drawn at that position, even if rows have moved since', () => {
  const driver = new ConsoleDriver().goLive({
    events: byKey(['a', 'b', 'c'].map((client) => anEventRow({ client, check: 'x' }))),
  });
  driver.store.update({ mouse: true });
  driver.frame();
  // A new event arrives above the others, but no frame has drawn it yet.
  driver.change({ events: byKey([anEventRow({ client: '0', check: 'x', since: 2_000_000_000 })]) });
  // A click on the third row of the list, because the header is five rows high.
  driver.type('\u001B[<0;20;8M');
  expect(eventUnderCursor(driver.store.state)?.client).toBe('c');
});
