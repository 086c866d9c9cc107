import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiClient, type ApiClient } from '../../../shared/client/api-client.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

/** A Friday, six hours before a window, and a week before the clocks in Berlin go forward. */
const NOW = Date.UTC(2026, 2, 20, 19) / 1000;
const WEEKENDS = ['--recur', 'sat,sun 02:00', '--zone', 'Europe/Berlin', '--duration', '2h'];
const RESULT = { source: 'web-1', name: 'disk', output: 'full', status: 2 };

let backend: RunningBackend;
let api: ApiClient;
let clock: ManualClock;

beforeAll(async () => {
  clock = new ManualClock(NOW * 1000);
  backend = await startBackend({ clock, batcher: { batchLimit: 1 } });
  api = openApiClient({ backend: backend.url, env: {} });
});
afterAll(() => backend[Symbol.asyncDispose]());

const monctl = (...line: string[]): Promise<MonctlRun> =>
  runMonctl(line, { MON_BACKEND: backend.url, USER: 'alice' }, { nowMs: clock.now() });

const WINDOWS = [
  'next windows:',
  '  Sat 2026-03-21 02:00 to 04:00 (01:00Z)',
  '  Sun 2026-03-22 02:00 to 04:00 (01:00Z)',
  '  Sat 2026-03-28 02:00 to 04:00 (01:00Z)',
  '  Sun 2026-03-29 03:00 to 05:00 (01:00Z): the start falls into the hour skipped by DST: it begins when clocks go forward',
  '  Sat 2026-04-04 02:00 to 04:00 (00:00Z)',
];

test('monctl silence create --recur first shows the next windows with the effect of daylight saving time', async () => {
  await api.submitResult(RESULT);
  const { code, stdout } = await monctl('silenced', 'create', '--check', 'disk', ...WEEKENDS, '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toContain('"schedule": "sat,sun 02:00"');
  expect(stdout).toContain(['it matches 1 event now: 1 critical', ...WINDOWS, 'nothing was sent'].join('\n'));
  expect(await api.silenced()).toEqual([]);
});

test('monctl creates, lists, shows, explains and ends a recurring silence', async () => {
  const made = await monctl('silenced', 'create', '--client', 'web-1', '--reason', 'backup', ...WEEKENDS);
  const told = ['silenced client:web-1:*, recurring: sat,sun 02:00 Europe/Berlin, 2h each', ...WINDOWS, ''].join('\n');
  expect(made).toEqual({ code: 0, stdout: told, stderr: '' });
  const { stdout: listed } = await monctl('silenced', 'list');
  expect(listed).toContain('RECURS');
  expect(listed).toMatch(
    /^client:web-1:\*\s+in 6h, 01:00Z\s+in 8h, 03:00Z\s+no\s+0\s+alice@\S+\s+backup\s+sat,sun 02:00 Europe\/Berlin, 2h each$/m,
  );
  expect((await monctl('silenced', 'info', 'client:web-1:*')).stdout).toMatch(
    /^recurs +sat,sun 02:00 Europe\/Berlin, 2h each\nnext window +Sat 2026-03-21 02:00 to 04:00 \(01:00Z\), begins in 6h$/m,
  );
  clock.advance(6.5 * 3_600_000);
  await api.submitResult(RESULT);
  const { stdout: shown } = await monctl('silenced', 'info', 'client:web-1:*');
  expect(shown).toMatch(/^window +Sat 2026-03-21 02:00 to 04:00 \(01:00Z\), ends in 1h30m$/m);
  const json = JSON.parse((await monctl('silenced', 'info', 'client:web-1:*', '--output', 'json')).stdout) as unknown;
  expect(json).toMatchObject({
    begin: NOW + 6 * 3600,
    recurrence: { schedule: 'sat,sun 02:00', zone: 'Europe/Berlin', duration: 7200 },
  });
  for (const line of [
    ['event', 'explain', 'web-1', 'disk'],
    ['simulate', '-'],
  ]) {
    const run = await runMonctl(
      line,
      { MON_BACKEND: backend.url },
      { nowMs: clock.now(), input: JSON.stringify(RESULT) },
    );
    expect(run.stdout).toMatch(
      /^recurs +client:web-1:\* again at sat,sun 02:00 Europe\/Berlin, 2h each; this window ends in 1h30m$/m,
    );
  }
  const cleared = await monctl('silenced', 'delete', '--client', 'web-1', '-y');
  expect(cleared).toMatchObject({ code: 0, stdout: 'deleted client:web-1:*\n' });
});

test('the monctl JSON output of a recurring silence contains its schedule and its windows', async () => {
  const line = ['silenced', 'create', '--selector', 'client~web-*', '--recur', '@monthly', '--duration', '1h'];
  const bounds = ['--first-day', '2026-05-01', '--last-day', '2026-06-30'];
  const { stdout } = await monctl(...line, ...bounds, '--output', 'json');
  expect(JSON.parse(stdout)).toMatchObject({
    selector: 'client~web-*',
    recurrence: { schedule: '@monthly', zone: 'UTC', duration: 3600, first_day: '2026-05-01', last_day: '2026-06-30' },
    windows: [{ begin: Date.UTC(2026, 4) / 1000 }, { begin: Date.UTC(2026, 5) / 1000 }],
  });
  const { stdout: yaml } = await monctl('silenced', 'list', '--output', 'yaml');
  expect(yaml).toContain('schedule: "@monthly"');
  await monctl('silenced', 'delete', '--selector', 'client~web-*', '-y');
});

test('monctl rejects extending a recurring silence or replacing it by a single silence, and says what to do', async () => {
  await monctl('silenced', 'create', '--check', 'load', ...WEEKENDS);
  const extended = await monctl('silenced', 'update', '*:load', '2h');
  expect(extended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('create the silence again with another --duration'),
  });
  for (const { dry, remedy } of [
    { dry: [], remedy: 'clear it first, or silence the same events by a selector' },
    { dry: ['--dry-run'], remedy: 'delete it first, or silence the same events with --selector' },
  ]) {
    const replaced = await monctl('silenced', 'create', '--check', 'load', '--expire', '1h', ...dry);
    expect(replaced.stderr).toContain(remedy);
    expect(replaced.code).not.toBe(0);
  }
  await monctl('silenced', 'create', '--check', 'load', ...WEEKENDS.slice(0, -1), '3h');
  expect(await api.silencedDetail('*:load')).toMatchObject({ recurrence: { duration: 10_800 } });
});

test.each<[line: string, says: string]>([
  ['--recur sat --duration 2h', '--recur: "" is not a time of day: write days and a time'],
  ['--recur daily@02:00 --duration 2h', '--recur: "daily@02:00" is not a day of the week'],
  ['--recur @hourly', '--recur needs --duration'],
  ['--recur @hourly --duration 1h', '--duration: windows of 1h would overlap'],
  ['--recur @hourly --duration 30s', '--duration: a window lasts from 1m to less than a week'],
  ['--recur @hourly --duration soon', '--duration: "soon" is not a duration: write a duration such as 45s'],
  ['--recur @hourly --duration 5m --zone Berlin', '--zone: "Berlin" is not a time zone: use UTC'],
  ['--recur @hourly --duration 5m --first-day 1.5.2026', '--first-day: "1.5.2026" is not a day'],
  ['--recur @hourly --duration 5m --last-day 2026-03-01', '--last-day: no window starts before'],
  ['--recur @hourly --duration 5m --expire 1h', '--expire cannot be used with --recur'],
  ['--recur @hourly --duration 5m --expire-on-resolve', '--expire-on-resolve cannot be used with --recur'],
  ['--zone Europe/Berlin --expire 1h', "--zone needs --recur, for example --recur 'sat,sun 02:00'"],
])('monctl silence create rejects the recurrence %s', async (line, says) => {
  const run = await monctl('silenced', 'create', '--check', 'never', ...line.split(' '));
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toContain(says);
  expect(await api.silencedDetail('*:never')).toBeUndefined();
});
