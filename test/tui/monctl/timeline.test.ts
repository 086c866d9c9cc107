import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NOW, runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

const HOUR_MS = 3_600_000;

let backend: RunningBackend;

/** Records two hours: a disk is full for one hour, half of it under a silence. */
beforeEach(async () => {
  const clock = new ManualClock((NOW - 7200) * 1000);
  backend = await startBackend({ clock, batcher: { batchLimit: 1 } });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const api = openApiClient({ backend: backend.url, env: {} });
  const report = (status: number, output: string): Promise<unknown> =>
    api.submitResult({ source: 'web-1', name: 'disk', status, output });
  await report(0, 'fine');
  clock.advance(HOUR_MS / 2);
  await report(2, 'full');
  clock.advance(HOUR_MS / 2);
  await api.silence({ check: 'disk', reason: 'CHG-1', creator: 'ada', expire: 7200 });
  clock.advance(HOUR_MS / 2);
  await report(0, 'fine again');
  clock.advance(HOUR_MS / 2);
});

const monctl = (...line: string[]): Promise<MonctlRun> => runMonctl(line, { MON_BACKEND: backend.url });

describe('monctl event timeline', () => {
  test('monctl event timeline shows the history of a check with its silences, the newest entry first', async () => {
    expect((await monctl('event', 'timeline', 'web-1', 'disk')).stdout).toMatchInlineSnapshot(`
      "TIME                  WHAT     STATUS     CLIENT  CHECK  BY   DETAILS
      2026-11-20 11:30:00Z  resolve  CRIT > OK  web-1   disk        silenced by *:disk: fine again
      2026-11-20 11:00:00Z  silence  -                  disk   ada  *:disk, CHG-1, until 2026-11-20 13:00:00Z
      2026-11-20 10:30:00Z  create   OK > CRIT  web-1   disk        full
      2026-11-20 10:00:00Z  new      OK         web-1   disk        fine
      "
    `);
  });

  test('monctl event timeline shows a past span and accepts a filter', async () => {
    expect((await monctl('event', 'timeline', '--since', '45m', '--output', 'json')).stdout).toContain('"resolve"');
    expect((await monctl('event', 'timeline', '--filter', 'kind=create', '--until', '1h')).stdout).toContain('full');
    expect(await monctl('event', 'timeline', 'web-2')).toMatchObject({ stdout: '', code: 0 });
  });

  test('monctl event timeline rejects a span that ends before it begins', async () => {
    const run = await monctl('event', 'timeline', '--since', '1h', '--until', '2h');
    expect(run.stderr).toContain('--since must be before --until');
  });
});

describe('monctl lists with --at', () => {
  test('monctl lists with --at show the events, silences and clients of that time, with ages at that time', async () => {
    const lists = [];
    for (const noun of ['event', 'silenced', 'client']) lists.push((await monctl(noun, 'list', '--at', '45m')).stdout);
    expect(lists.join('\n')).toMatchInlineSnapshot(`
      "STATUS  CLIENT  CHECK  COUNT  AGE  LAST  STATE     OUTPUT
      CRIT    web-1   disk       1  45m   45m  silenced  full

      SILENCE  BEGINS           EXPIRES  ON RESOLVE  SUPPRESSED  CREATOR  REASON
      *:disk           in 1h45m, 13:00Z  no                      ada      CHG-1

      CLIENT  ADDRESS  LAST SEEN  VERSION  SUBSCRIPTIONS
      web-1   unknown          -  1.9.0    client:web-1
      "
    `);
    expect((await monctl('event', 'list', '--at', '80m')).stdout).toContain('CRIT');
    expect((await monctl('event', 'list')).stdout).toBe('');
  });

  test('monctl event list --at says that there is no history of that time', async () => {
    expect((await monctl('event', 'list', '--at', '3h')).stderr).toContain(
      'there is no history for that time: request 2026-11-20T10:00',
    );
    expect((await monctl('event', 'list', '--at', '1h', '--watch')).stderr).toContain(
      '--at cannot be used with --watch',
    );
  });
});

describe('monctl event availability', () => {
  test('monctl event availability prints percent, outages and silenced time', async () => {
    expect((await monctl('event', 'availability', 'web-1', '--since', '2h')).stdout).toMatchInlineSnapshot(`
      "CLIENT  CHECK        OK  OUTAGES  WARN  CRIT  UNKNOWN  SILENCED  NO DATA
      web-1   disk   66.666 %        1     -   30m        -       30m  -
      "
    `);
  });

  test('monctl event availability of a check covers every client, and a missing client or check is an error', async () => {
    expect((await monctl('event', 'availability', '--check', 'disk')).stdout).toContain('web-1');
    expect((await monctl('event', 'availability')).stderr).toContain('set the parameter client, check or aggregate');
  });
});
