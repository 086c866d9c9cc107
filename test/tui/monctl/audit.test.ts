import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import type { AuditRecord } from '../../../shared/schemas/audit.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NOW, runMonctl } from '../../support/run-monctl.ts';
import type { MonctlRun } from '../../support/run-monctl.ts';
import { startBackend } from '../../support/running-backend.ts';
import type { RunningBackend } from '../../support/running-backend.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';
import { followMonctl } from '../../support/watching-monctl.ts';

let clock: ManualClock;
let backend: RunningBackend;
let api: ApiClient;

beforeEach(async () => {
  clock = new ManualClock((NOW - 7200) * 1000);
  backend = await startBackend({ clock, batcher: { batchLimit: 1 }, settings: { 'audit-limit': 100 } });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  api = openApiClient({ backend: backend.url, env: {} });
});

const monctl = (...line: string[]): Promise<MonctlRun> => runMonctl(line, { MON_BACKEND: backend.url });

/** Creates two silences an hour apart; the second is an hour before now. */
async function silenceTwice(): Promise<void> {
  await api.silence({ check: 'disk', reason: 'CHG-1', creator: 'ada' });
  clock.advance(3_600_000);
  await api.silence({ check: 'swap', reason: 'CHG-2', creator: 'bob' });
}

describe('monctl audit list', () => {
  test('monctl audit list shows the audit records, the newest first', async () => {
    await silenceTwice();
    expect((await monctl('audit', 'list')).stdout).toMatchInlineSnapshot(`
      "ID  TIME                  WHO  FROM       ACTION          TARGET  REASON
       2  2026-11-20 11:00:00Z  bob  127.0.0.1  silence.create  *:swap  CHG-2
       1  2026-11-20 10:00:00Z  ada  127.0.0.1  silence.create  *:disk  CHG-1
      "
    `);
  });

  test('monctl audit list names the user and the person for whom a request was made', async () => {
    const records = [
      { ...aRecord(2), who: 'dashboard', on_behalf_of: 'ada' },
      { ...aRecord(1), who: 'ada' },
    ];
    const { url } = await startScriptedServer(() => ({ status: 200, body: records }));
    const listed = await runMonctl(['audit', 'list'], { MON_BACKEND: url });
    expect(listed.stdout.split('\n').slice(0, 3)).toEqual([
      'ID  TIME                  WHO                FROM  ACTION          TARGET  REASON',
      ' 2  1970-01-01 00:00:00Z  dashboard for ada  -     silence.create  *:disk',
      ' 1  1970-01-01 00:00:00Z  ada                -     silence.create  *:disk',
    ]);
    const { stdout } = await runMonctl(['audit', 'list', '-o', 'json'], { MON_BACKEND: url });
    expect(JSON.parse(stdout)).toEqual(records);
  });

  test.each([
    [['--since', '90m'], [2]],
    [
      ['--since', '3h'],
      [2, 1],
    ],
    [['--since', String(NOW - 3600)], [2]],
    [['--since', '2026-11-20T10:30Z'], [2]],
    [['--who', 'ada'], [1]],
    [['--action', 'silence.clear'], []],
    [['--limit', '1'], [2]],
  ])('monctl audit list filters by %j', async (options, ids) => {
    await silenceTwice();
    const { stdout } = await monctl('audit', 'list', '-o', 'json', ...options);
    expect((JSON.parse(stdout) as AuditRecord[]).map(({ id }) => id)).toEqual(ids);
  });

  test('monctl audit list reads more records than one response contains page by page', async () => {
    const all = Array.from({ length: 2500 }, (_, index) => aRecord(2500 - index));
    const { url, seen } = await startScriptedServer(({ path }) => {
      const query = new URL(path, 'http://mon').searchParams;
      const before = Number(query.get('before') ?? Infinity);
      return { status: 200, body: all.filter(({ id }) => id < before).slice(0, Number(query.get('limit'))) };
    });
    const { stdout } = await runMonctl(['audit', 'list', '--limit', '2200', '-o', 'json'], { MON_BACKEND: url });
    expect(JSON.parse(stdout)).toEqual(all.slice(0, 2200));
    expect(seen).toHaveLength(3);
  });

  test('monctl audit list rejects an invalid time', async () => {
    expect(await monctl('audit', 'list', '--since', 'soon')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"soon" is not a time'),
    });
  });

  test('monctl audit list prints an empty list when nothing matches', async () => {
    expect(await monctl('audit', 'list')).toEqual({ code: 0, stdout: '', stderr: 'no records\n' });
  });

  test(
    'monctl audit list --follow starts with the last records, the oldest first, and keeps running',
    { tags: 'slow' },
    async () => {
      await silenceTwice();
      const following = followMonctl(['audit', 'list', '--follow', '--limit', '1'], { MON_BACKEND: backend.url });
      expect(await following.next()).toBe('2\t2026-11-20 11:00:00Z\tbob\t127.0.0.1\tsilence.create\t*:swap\tCHG-2');
      await api.clearSilenced({ check: 'disk' });
      await api.clearSilenced({ check: 'swap' });
      expect([await following.next(), await following.next()].map((line) => line.split('\t').slice(4, 6))).toEqual([
        ['silence.clear', '*:disk'],
        ['silence.clear', '*:swap'],
      ]);
    },
  );
});

describe('monctl audit verify', () => {
  test('monctl audit verify prints the number of verified records and the last hash', async () => {
    expect((await monctl('audit', 'verify')).stdout).toBe('there are no records\n');
    await silenceTwice();
    const { hash } = await api.auditHead();
    expect(await monctl('audit', 'verify')).toEqual({
      code: 0,
      stdout: `2 records verified, 1 to 2, last hash ${hash}\n`,
      stderr: '',
    });
  });

  test('monctl audit verify succeeds after the oldest records were deleted', async () => {
    const operations = Array.from({ length: 60 }, (_, at) => ({
      op: 'silence' as const,
      check: `c${String(at)}`,
      reason: 'r',
    }));
    for (const operation of [...operations, ...operations]) await api.bulk({ operations: [operation] });
    expect((await monctl('audit', 'verify')).stdout).toMatch(/^100 records verified, 21 to 120, /);
  });

  test.each<[string, (records: AuditRecord[]) => unknown[], string]>([
    ['changed', ([two, one]) => [two, { ...one, who: 'nobody' }], 'audit record 1 was changed after it was written'],
    ['removed', ([two]) => [two], 'audit record 1 is missing'],
    ['removed with all others', () => [], 'audit record 2 is missing'],
  ])('monctl audit verify names the audit record that was %s', async (_name, tamper, problem) => {
    await silenceTwice();
    const [head, records] = [await api.auditHead(), await api.audit()];
    const { url } = await startScriptedServer(({ path }) => {
      if (path.includes('/head')) return { status: 200, body: head };
      const before = Number(new URL(path, 'http://mon').searchParams.get('before'));
      return { status: 200, body: (tamper(records) as AuditRecord[]).filter(({ id }) => id < before) };
    });
    expect(await runMonctl(['audit', 'verify'], { MON_BACKEND: url })).toEqual({
      code: 8,
      stdout: '',
      stderr: `monctl: ${problem}\n`,
    });
  });
});

function aRecord(id: number): AuditRecord {
  const who = { who: 'ada', from: null, how: 'POST /silenced' };
  const what = { action: 'silence.create', target: '*:disk', before: null, after: null, reason: null };
  return { id, at: id, ...who, ...what, previous: '', hash: '' };
}
