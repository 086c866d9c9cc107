import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NOW, runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

let backend: RunningBackend;

/** Records 20 hours in which a disk fills. */
beforeEach(async () => {
  const clock = new ManualClock(NOW * 1000);
  backend = await startBackend({ clock, batcher: { batchLimit: 1 } });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const results = Array.from({ length: 20 }, (_, hour) => ({
    source: 'web-1',
    name: 'disk',
    status: 0,
    executed: NOW - (20 - hour) * 3600,
    output: `OK | /=${String(60 + hour)}%;90;95;0;100`,
  }));
  await openApiClient({ backend: backend.url, env: {} }).submitResults(results);
});

const monctl = (...line: string[]): Promise<MonctlRun> => runMonctl(line, { MON_BACKEND: backend.url, TZ: 'UTC' });

describe('monctl result series', () => {
  test('monctl result series plots the metrics of a check with a scale and thresholds', async () => {
    const { stdout, code } = await monctl('result', 'series', 'web-1', 'disk');
    expect(code).toBe(0);
    expect(stdout).toContain('/  last 79 %, min 60 %, max 79 %');
    expect(stdout).toMatch(/^ *\d+ % ┤.*crit 95 %/m);
    expect(stdout).toContain('warn 90 %');
    expect(stdout).toMatch(/UTC .*\d\d:00/);
  });

  test('monctl result series prints the points as JSON', async () => {
    const { stdout } = await monctl('result', 'series', 'web-1', 'disk', '--output', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ recorded: 'yes', metrics: [{ label: '/', unit: '%', crit: '95' }] });
  });

  test('monctl result series names a result that does not exist', async () => {
    const { stderr, code } = await monctl('result', 'series', 'web-1', 'none');
    expect(stderr).toContain('there is no result web-1/none');
    expect(code).not.toBe(0);
  });
});
