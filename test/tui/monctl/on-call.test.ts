import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OnCallOverride } from '../../../shared/schemas/on-call.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

const SETTINGS = {
  handlers: { mail: { type: 'pipe', command: 'cat > /dev/null' } },
  people: { ada: { notify: ['mail'] }, cy: { notify: ['gone'] } },
  schedules: {
    database: { layers: [{ people: ['ada'] }] },
    shop: { layers: [{ people: ['ada', 'cy'], every: '1 day' }] },
    weekend: { layers: [{ people: ['cy'], hours: 'sat-sun' }] },
  },
};

let backend: RunningBackend;
beforeAll(async () => {
  backend = await startBackend({ settings: SETTINGS });
});
afterAll(() => backend[Symbol.asyncDispose]());

const monctl = (...line: string[]): Promise<MonctlRun> =>
  runMonctl(['on-call', ...line], { MON_BACKEND: backend.url, USER: 'bob', TZ: 'UTC' }, { nowMs: Date.now() });

test('monctl on-call who shows who is on call at a time', async () => {
  const { code, stdout } = await monctl('who', '--at', '2026-01-10T12:00Z');
  expect(code).toBe(0);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['SCHEDULE', 'ON CALL', 'UNTIL', 'NEXT', 'FROM', 'TIME ZONE'],
    ['database', 'ada', '-', '-', '-', 'UTC'],
    ['shop', 'ada', '2026-01-11 00:00Z', 'cy', '2026-01-11 00:00Z', 'UTC'],
    ['weekend', 'cy', '2026-01-12 00:00Z', '-', '-', 'UTC'],
    [''],
  ]);
  expect((await monctl('who', '--at', '2026-01-12T12:00Z')).stdout).toContain('weekend   nobody');
});

test('monctl on-call override puts a person on call, show lists the override, and override-delete removes it', async () => {
  const line = ['override', 'database', '--person', 'cy', '--until', '12h', '-m', 'swap', '--output', 'json'];
  const { stdout, stderr } = await monctl(...line);
  expect(stderr).toBe('');
  const { id, from, until, by } = JSON.parse(stdout) as OnCallOverride;
  expect(until - from).toBeGreaterThan(43_190);
  expect(by).toMatch(/^bob@/);
  const shown = (await monctl('show', 'database', '--days', '2')).stdout;
  expect(shown).toContain(`cy       override ${id}`);
  expect(shown).toContain('(swap)');
  expect(shown).toContain('cy cannot be notified, because no handler in notify is defined');
  expect(await monctl('override-delete', 'database', id)).toMatchObject({
    code: 0,
    stdout: `deleted the override ${id} of database\n`,
  });
  expect(await monctl('override-delete', 'database', id)).toMatchObject({ code: 3 });
});

test('monctl on-call override reads the end from the begin', async () => {
  const line = ['override', 'database', '--person', 'ada', '--from', 'fri 18:00', '--until', 'mon 09:00', '--dry-run'];
  expect((await monctl(...line)).stdout).toMatch(
    /ada would be on call for database from 20\S+ 18:00Z until 20\S+ 09:00Z/,
  );
});

test('monctl on-call swap exchanges two shifts, and its dry run shows them', async () => {
  const span = String.raw`from 20\S+ \d\d:\d\dZ until 20\S+ 00:00Z`;
  const dryRun = await monctl('swap', 'shop', 'ada', 'cy', '--dry-run');
  expect(dryRun.stdout).toMatch(
    new RegExp(`^cy would be on call for shop ${span}\nada would be on call for shop ${span}$`, 'm'),
  );
  expect((await monctl('show', 'shop')).stdout).not.toContain('override');
  const { code, stdout } = await monctl('swap', 'shop', 'ada', 'cy', '-m', 'train');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    new RegExp(`^cy is on call for shop ${span} .override .*.\nada is on call for shop ${span} .override`),
  );
  expect((await monctl('show', 'shop')).stdout.match(/\(train\)/g)).toHaveLength(2);
  expect(await monctl('swap', 'shop', 'ada', 'dan')).toMatchObject({
    code: 2,
    stderr: 'monctl: other: dan is not defined in people: use one of the people there\n',
  });
});

test('monctl on-call check reports gaps and people who cannot be notified', async () => {
  expect(await monctl('check', 'database')).toMatchObject({ code: 0, stdout: 'no problems in database\n' });
  const { code, stdout } = await monctl('check', '--days', '7');
  expect(code).toBe(8);
  expect(stdout).toMatch(/^weekend: nobody is on call from /m);
  expect(stdout).toContain('weekend: cy cannot be notified');
});

test('monctl on-call override without a person is rejected', async () => {
  expect(await monctl('override', 'database')).toMatchObject({
    code: 2,
    stderr: 'monctl: set --person NAME and --until TIME\n',
  });
});

test('monctl dump and restore keep an override', async () => {
  const file = join(await tempDir(), 'overrides.yml');
  const env = { MON_BACKEND: backend.url, USER: 'bob', TZ: 'UTC' };
  const made = await monctl('override', 'database', '--person', 'cy', '--until', '3h', '--output', 'json');
  const { id } = JSON.parse(made.stdout) as OnCallOverride;
  expect(await runMonctl(['dump', 'on-call-overrides', '--file', file], env)).toMatchObject({ code: 0 });
  await monctl('override-delete', 'database', id);
  expect(await runMonctl(['restore', file], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`created OnCallOverride default/${id}\n`) as string,
  });
  expect((await monctl('show', 'database')).stdout).toContain(`override ${id}`);
  expect(await runMonctl(['create', '-f', file], env)).toMatchObject({
    code: 9,
    stdout: expect.stringContaining(`${id}: use monctl restore for objects of this type\n`) as string,
  });
  await monctl('override-delete', 'database', id);
});
