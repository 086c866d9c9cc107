import { describe, expect, test } from 'vitest';
import { byKey, type ConsoleRig, type RigOptions } from '../../support/console-rig.ts';
import { SCENE_EVENTS } from '../../support/console-scene.ts';
import { openOverviewScene, overviewApi } from '../../support/overview-scene.ts';
import { expectGolden } from '../../support/screen.ts';
import { COLOR } from '../../support/golden-looks.ts';

const TAB = '\t';
const SHIFT_TAB = '\u001B[Z';

async function openOverview(options: RigOptions = {}): Promise<ConsoleRig> {
  const rig = await openOverviewScene(options);
  rig.type('1');
  await rig.pass(400);
  await rig.shows('most 129', 'NEW CRITICAL', 'http-frontend', '[■■■■');
  // A small screen does not have space for these boxes.
  if (rig.screen.text.includes('CLIENTS')) await rig.shows('20,000');
  if (rig.screen.text.includes('LAST 24 H')) await rig.shows(/outages +9/);
  return rig;
}

test.each([
  { columns: 80, rows: 24 },
  { columns: 100, rows: 30 },
  { columns: 120, rows: 36 },
  { columns: 200, rows: 50 },
])('the overview is drawn at $columns x $rows', async ({ columns, rows }) => {
  const rig = await openOverview({ columns, rows });
  await expectGolden(rig.screen, `overview-${String(columns)}x${String(rows)}`);
  expect(rig.screen.lines.at(-1)).toContain('help');
});

test.each([
  { name: 'overview-color', theme: { color: true, ascii: false } },
  { name: 'overview-mono', theme: { color: false, ascii: false } },
])('the overview in colors matches the picture $name', async ({ name, theme }) => {
  const rig = await openOverview({ theme });
  await expectGolden(rig.screen, name, { styled: true });
  expect(COLOR.test(rig.screen.output)).toBe(theme.color);
});

test('the overview is drawn in ASCII', async () => {
  const rig = await openOverviewScene({ theme: { color: true, ascii: true } });
  rig.type('1');
  await rig.pass(400);
  await rig.shows('NEW CRITICAL', 'http-frontend', '20,000', '[####', /outages +9/);
  expect(Buffer.from(rig.screen.output).every((byte) => byte < 0x80)).toBe(true);
  await expectGolden(rig.screen, 'overview-ascii');
});

describe('Enter on the overview', () => {
  test('Enter on a newly critical check opens the events of that check', async () => {
    const rig = await openOverview();
    await rig.shows(/> \d\d:\d\dZ {2}web-\d+.* \+2 \/ http-frontend/);
    rig.type('\r');
    await rig.shows('[2 Events]', '3 of 12 events shown');
    expect(rig.row('filter:')).toContain('filter: check=http-frontend status=crit !silenced');
  });

  test('Enter on a subscription of the overview lists its clients if the backend sends no attributes of events', async () => {
    const rig = await openOverview();
    for (let box = 0; box < 5; box++) rig.type(TAB);
    await rig.shows('> PROBLEMS BY SUBSCRIPTION');
    rig.type('j\r');
    await rig.shows('[5 Clients]', 'KEEPALIVE');
    expect(rig.row('filter:')).toContain('filter: subscriptions=web events>0');
  });

  test('Enter on a noisy check of the overview opens the events of that check', async () => {
    const rig = await openOverview();
    for (let box = 0; box < 6; box++) rig.type(TAB);
    rig.type('jj\r');
    await rig.shows('[2 Events]', '2 of 12 events shown');
    expect(rig.row('filter:')).toContain('filter: check=disk-root');
  });

  test('Enter on the last 24 hours of the overview opens the report of that time', async () => {
    const rig = await openOverview();
    for (let box = 0; box < 4; box++) rig.type(TAB);
    await rig.shows('> LAST 24 H');
    rig.type('j\r');
    await rig.shows('last 24h', 'Noisiest');
    expect(rig.requests.filter(({ path }) => path.includes('/report?limit=1&since='))).toHaveLength(1);
  });

  test('Enter on the plot of open problems opens the report of the last 24 hours', async () => {
    const rig = await openOverview();
    rig.type(SHIFT_TAB);
    await rig.shows('> OPEN PROBLEMS');
    rig.type('\r');
    await rig.shows('last 24h', 'Noisiest');
    expect(rig.screen.text).toContain('Open problems');
  });

  test('Enter on an action of the overview opens its record in the log', async () => {
    const rig = await openOverview();
    for (let box = 0; box < 3; box++) rig.type(TAB);
    rig.type('j\r');
    await rig.shows('[audit trail]', 'event.resolve');
    expect(rig.row('bob')).toMatch(/^> .*event\.resolve +web-044/);
  });

  test('Esc on the overview returns to the previous view', async () => {
    const rig = await openOverview();
    rig.escape();
    await rig.shows('[2 Events]');
    expect(rig.screen.text).not.toContain('[1 Overview]');
  });

  test('the key [ brings back the overview with the cursor where it was', async () => {
    const rig = await openOverview();
    rig.type('j\r');
    await rig.shows('filter: check=postgres-repl');
    rig.type('[');
    await rig.shows('[1 Overview]');
    expect(rig.row('db-014')).toMatch(/ > 11:57Z {2}db-014/);
  });
});

test('Tab moves from box to box of the overview and around, and scrolls to a hidden box on a small screen', async () => {
  const rig = await openOverview({ columns: 80, rows: 24 });
  await rig.shows('> NEW CRITICAL');
  expect(rig.screen.text).not.toContain('RESULTS PER SECOND');
  rig.type(SHIFT_TAB);
  await rig.shows('> OPEN PROBLEMS');
  rig.type(SHIFT_TAB);
  await rig.shows('> RESULTS PER SECOND');
  rig.type(TAB + TAB);
  await rig.shows('> NEW CRITICAL');
  expect(rig.screen.text).not.toContain('RESULTS PER SECOND');
});

test('the cursor of the overview stays on its row when a worse row is inserted above', async () => {
  const rig = await openOverview();
  await rig.shows(/> .*web-003/);
  const [first] = SCENE_EVENTS;
  if (first === undefined) throw new Error('the scene has events');
  const now = rig.clock.now() / 1000;
  rig.type('j');
  await rig.change({
    events: byKey([{ ...first, client: 'new-1', check: 'boot', since: Math.floor(now), last: now }]),
  });
  await rig.shows('7 crit');
  await rig.pass(2000);
  await rig.shows('new-1 / boot');
  expect(rig.row('postgres-repl  ')).toMatch(/ > 11:57Z {2}db-014/);
});

test('the number of open problems agrees with the header, even if the rest of the last 24 hours is older', async () => {
  const rig = await openOverview();
  // Six critical events, four warnings, one unknown and one silenced event.
  expect(rig.row('open now')).toMatch(/open now +12 /);
  expect(rig.row('LAST 24 H')).toContain('as of 12:00Z');
  const [first] = SCENE_EVENTS;
  if (first === undefined) throw new Error('the scene has events');
  const now = rig.clock.now() / 1000;
  await rig.change({
    events: byKey([{ ...first, client: 'new-1', check: 'boot', since: Math.floor(now), last: now }]),
  });
  await rig.shows('7 crit');
  await rig.pass(2000);
  await rig.pass(1000);
  await rig.shows('now 13', /open now +13 /);
});

test('the overview is loaded again only while it is shown', async () => {
  const rig = await openOverview();
  const asked = (): number => rig.requests.filter(({ path }) => path === '/api/mon/v1/overview').length;
  const before = asked();
  await rig.pass(2000);
  await expect.poll(asked).toBe(before + 1);
  rig.type('2');
  await rig.pass(400);
  await rig.shows('[2 Events]');
  for (let second = 0; second < 5; second++) await rig.pass(1000);
  expect(asked()).toBe(before + 1);
});

test('the overview says that it is outdated while the console is disconnected', async () => {
  const rig = await openOverview();
  rig.server.refuse(503);
  (await rig.connection()).cut();
  await rig.shows('DISCONNECTED', 'showing the last known state');
  expect(rig.row('registered')).toContain('20,000');
});

test('the overview without the right to read the audit trail shows all other boxes', async () => {
  const rig = await openOverview({
    api: (request) =>
      request.path.startsWith('/api/mon/v1/audit') ? { status: 403, body: { error: 'no' } } : overviewApi(request),
  });
  await rig.shows('RECENT OPERATOR ACTIONS', 'unavailable');
  expect(rig.row('registered')).toContain('20,000');
});

test('the overview on an older backend says what is missing and shows what the feed contains', async () => {
  const rig = await openOverviewScene({ api: () => ({ status: 404, body: {} }) });
  rig.type('1');
  await rig.pass(400);
  await rig.shows('not loaded:', 'http-frontend');
  expect(rig.screen.text).toContain('loading …');
});
