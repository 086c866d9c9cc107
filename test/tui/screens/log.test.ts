import { describe, expect, test } from 'vitest';
import { whenText } from '../../../tui/screens/log/lines.ts';
import type { ConsoleRig, RigOptions } from '../../support/console-rig.ts';
import { openOverviewScene, overviewApi, SCENE_AUDIT } from '../../support/overview-scene.ts';
import { expectGolden } from '../../support/screen.ts';
import { scenesAt, sizesOf } from '../../support/golden-looks.ts';

const TAB = '\t';

test.each([
  ['2026-11-20T09:08:07Z', '09:08:07Z'],
  ['2026-11-21T02:00:00Z', '02:00:00Z'],
  ['2026-11-18T09:08:07Z', '11-18 09:08Z'],
  ['2026-11-24T06:00:00Z', '11-24 06:00Z'],
  ['2028-02-01T06:00:00Z', '2028-02-01'],
])('the console shows, at noon of 2026-11-20, the time %s as %s', (at, text) => {
  expect(whenText(Date.parse(at), Date.parse('2026-11-20T12:00:00Z'))).toBe(text);
});

/** Opens the log of a console that has three messages. */
async function openLog(options: RigOptions = {}): Promise<ConsoleRig> {
  const rig = await openOverviewScene(options);
  rig.type('!');
  await rig.pass(1000);
  rig.type('s');
  await rig.pass(1000);
  rig.type('!L');
  await rig.shows('[messages of this console]');
  return rig;
}

async function openAudit(options: RigOptions = {}): Promise<ConsoleRig> {
  const rig = await openLog(options);
  rig.type(TAB);
  await rig.shows('[audit trail]', 'silence.create');
  return rig;
}

async function openEntry(options: RigOptions = {}): Promise<ConsoleRig> {
  const rig = await openAudit(options);
  rig.type('\r');
  await rig.shows('192.0.2.7', 'planned failover CHG-4398', '"expire": 3600');
  return rig;
}

const PICTURES: readonly { readonly name: string; readonly open: (options: RigOptions) => Promise<ConsoleRig> }[] = [
  { name: 'log-messages', open: openLog },
  { name: 'log-audit', open: openAudit },
  { name: 'log-entry', open: openEntry },
];

describe.each(sizesOf(PICTURES))('at $columns x $rows', ({ columns, rows }) => {
  test.each(scenesAt(PICTURES, { columns, rows }))('the log matches the picture $name', async ({ name, open }) => {
    const rig = await open({ columns, rows });
    await expectGolden(rig.screen, `${name}-${String(columns)}x${String(rows)}`);
    expect(rig.screen.lines).toHaveLength(rows);
  });
});

test('the log of the console lists every message, the newest first', async () => {
  const rig = await openLog();
  const messages = rig.screen.lines.filter((line) => /\d\d:\d\d:\d\dZ {2}/.test(line) && !line.includes('lag'));
  expect(messages).toHaveLength(3);
  expect(messages[0]).toContain('unlocked');
  expect(messages[1]).toContain('s is disabled: the console is locked');
  expect(messages[2]).toContain('locked: keys that change something are disabled');
});

test('the search of the log filters while it is typed, and Esc clears the search first and then closes the log', async () => {
  const rig = await openAudit();
  rig.type('/resolve');
  await rig.showsNo('silence.create');
  expect(rig.screen.text).toContain('event.resolve');
  rig.type('\r');
  await rig.shows('search: resolve');
  rig.escape();
  await rig.shows('silence.create');
  rig.escape();
  await rig.shows('[2 Events]');
  expect(rig.screen.text).not.toContain('silence.create');
});

test('Enter shows the whole log entry, and Esc returns to the list of the log', async () => {
  const rig = await openEntry();
  rig.escape();
  await rig.showsNo('"expire"');
  expect(rig.screen.lines[1]).toMatch(/^> 11:59:00Z +alice/);
});

test('the audit log shows the person for whom a request was made beside the user, in list, search and entry', async () => {
  const [newest, ...others] = SCENE_AUDIT;
  const audit = [{ ...newest, who: 'dashboard', on_behalf_of: 'alice' }, ...others];
  const rig = await openAudit({
    columns: 120,
    api: (request) => (request.path.includes('/audit') ? { status: 200, body: audit } : overviewApi(request)),
  });
  expect(rig.screen.lines[1]).toMatch(/dashboard +silence.create +\S+ \/ postgres-repl {2}for alice {2}planned/);
  expect(rig.screen.lines[2]).not.toContain(' for ');
  rig.type('/alice\r');
  await rig.showsNo('event.resolve');
  rig.type('\r');
  await rig.shows(/who +dashboard/, /on behalf +alice/);
});

test('the audit log requests only new records, and the cursor stays on its audit record', async () => {
  const rig = await openAudit();
  rig.type('j');
  await rig.pass(2000);
  const asked = (): readonly string[] =>
    rig.requests.flatMap(({ path }) => (path.startsWith('/api/mon/v1/audit') ? [path] : []));
  await expect.poll(() => asked().length).toBe(2);
  expect(asked()).toEqual(['/api/mon/v1/audit?limit=500', '/api/mon/v1/audit?limit=500&after=3']);
  expect(rig.screen.lines[2]).toMatch(/^> .*bob/);
});

test('an audit log that cannot be loaded shows a message', async () => {
  const rig = await openLog({
    api: (request) => (request.path.includes('/audit') ? { status: 403, body: {} } : overviewApi(request)),
  });
  rig.type(TAB);
  await rig.shows('not loaded:');
  expect(rig.screen.text).toContain('Not loaded yet.');
});
