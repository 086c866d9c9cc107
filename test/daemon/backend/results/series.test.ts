import { beforeEach, describe, expect, test } from 'vitest';
import type { SeriesResponse } from '../../../../shared/schemas/series.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const STEP_MS = 300_000;

let rig: BackendRig;
let settings: { enabled: boolean; checks: number };

function sections(): Parameters<BackendRig['start']>[0] {
  return { program: { series: settings } };
}

beforeEach(async () => {
  settings = { enabled: true, checks: 10 };
  rig = await BackendRig.open(sections());
});

const ask: Ask = (...request) => rig.ask(...request);

/** Advances the clock by a step, and reports a result. */
async function report(output: string, more: object = {}): Promise<void> {
  rig.clock.advance(STEP_MS);
  const result = { name: 'disk', source: 'web-1', status: 0, duration: 0.25, output, ...more };
  expect((await ask('POST', '/results', result)).status).toBe(202);
}

async function series(check = 'disk'): Promise<SeriesResponse> {
  const answer = await ask('GET', `/api/mon/v1/results/web-1/${check}/series`);
  expect(answer.status).toBe(200);
  return answer.body as SeriesResponse;
}

async function storedKeys(): Promise<string[]> {
  const keys: string[] = [];
  for (const prefix of ['series', 'series-chunk']) {
    for await (const [key] of rig.store.scan([prefix])) keys.push(key.join(' '));
  }
  return keys;
}

async function storedSeries(): Promise<string | undefined> {
  return (await rig.store.getMany([['series', 'default', 'web-1', 'disk']]))[0];
}

describe('the series of a check', () => {
  test('the series of a check has its duration and metrics with units and thresholds', async () => {
    await report('DISK OK | /var=80%;90;95;0;100');
    await report('DISK OK | /var=82%;90;95;0;100');
    const { recorded, metrics, points, until } = await series();
    expect(recorded).toBe('yes');
    expect(until).toBe(ManualClock.START_MS + 2 * STEP_MS);
    expect(metrics).toEqual([{ label: '/var', unit: '%', warn: '90', crit: '95', min: 0, max: 100 }]);
    expect(points.map(({ duration, values }) => [duration?.avg, values[0]?.avg])).toEqual([
      [0.25, 80],
      [0.25, 82],
    ]);
  });

  test('a series survives a restart, except for the current step', async () => {
    for (let step = 0; step < 30; step++) await report(`OK | n=${String(step)}`);
    await rig.stop();
    rig.clock = new ManualClock(rig.clock.now());
    await rig.start(sections());
    const { points } = await series();
    expect(points.map(({ values }) => values[0]?.avg)).toEqual(Array.from({ length: 29 }, (_, step) => step));
    expect(await storedKeys()).toEqual([
      'series default web-1 disk',
      'series-chunk default web-1 disk 0',
      'series-chunk default web-1 disk 1',
    ]);
  });

  test.each(['/results/web-1/disk', '/clients/web-1'])('DELETE %s deletes the series', async (target) => {
    for (let step = 0; step < 15; step++) await report('OK | n=1');
    expect((await storedKeys()).length).toBe(2);
    await ask('DELETE', target);
    rig.clock.advance(100);
    await expect.poll(storedKeys).toEqual([]);
  });

  test('a result that is deleted while its event is open loses its series too', async () => {
    for (let step = 0; step < 3; step++) await report('BAD | n=1', { status: 2 });
    await ask('DELETE', '/results/web-1/disk');
    await expect.poll(storedKeys).toEqual([]);
  });

  test('a series is written only by the first result and by results that end a step', async () => {
    await report('OK | n=1');
    const first = await storedSeries();
    await ask('POST', '/results', { name: 'disk', source: 'web-1', status: 0, output: 'OK | n=2' });
    expect(await storedSeries()).toBe(first);
    await report('OK | n=3');
    expect(await storedSeries()).toMatch(/"points":\[\[\d+,0.25,\[1.5,1,2\]\]\]/);
  });

  test('a result without a duration and metrics has no series, and says so', async () => {
    await report('OK', { duration: undefined });
    expect(await series()).toMatchObject({ recorded: 'no_data', metrics: [], points: [] });
  });

  test('checks beyond the limit have no series, and say so', async () => {
    for (let check = 0; check < 11; check++) await report('OK', { name: `c${String(check)}` });
    expect((await series('c9')).recorded).toBe('yes');
    expect(await series('c10')).toMatchObject({ recorded: 'limit', points: [] });
    const { text } = await ask('GET', '/metrics');
    expect(text).toMatch(/^mon_series 10$/m);
    expect(text).toMatch(/^mon_series_limit 10$/m);
  });

  test('nothing is recorded while series are disabled', async () => {
    await report('OK | n=1');
    await rig.stop();
    rig.clock = new ManualClock(rig.clock.now());
    settings = { enabled: false, checks: 10 };
    await rig.start(sections());
    await report('OK | n=2');
    expect(await series()).toMatchObject({ recorded: 'disabled', points: [] });
    expect(await storedSeries()).toContain('"points":[]');
  });

  test('the series of an unknown check is not found', async () => {
    expect((await ask('GET', '/api/mon/v1/results/web-1/none/series')).status).toBe(404);
  });
});
