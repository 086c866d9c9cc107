import { describe, expect, test } from 'vitest';
import type { SeriesResponse } from '../../../shared/schemas/series.ts';
import type { ConsoleRig, RigOptions } from '../../support/console-rig.ts';
import { openScene } from '../../support/console-scene.ts';
import { LOOKS, scenesAt, sizesOf } from '../../support/golden-looks.ts';
import { SERIES, SERIES_PATH, valueOf } from '../../support/series-scene.ts';
import { expectGolden } from '../../support/screen.ts';

async function openSeries(options: RigOptions = {}, body: SeriesResponse = SERIES): Promise<ConsoleRig> {
  const rig = await openScene({
    api: ({ path }) => (path.split('?')[0] === SERIES_PATH ? { status: 200, body } : { status: 404 }),
    ...options,
  });
  rig.type('M');
  await rig.shows('db-014.eu-west-1 / postgres-repl', 'as of');
  return rig;
}

const PICTURES = [{ view: 'series', play: openSeries }];

describe.each(sizesOf(PICTURES))('at $columns x $rows', ({ columns, rows }) => {
  test.each(scenesAt(PICTURES, { columns, rows }))('the screen $view matches its picture', async ({ view, play }) => {
    const { screen } = await play({ columns, rows });
    await expectGolden(screen, `${view}-${String(columns)}x${String(rows)}`);
    expect(screen.lines.every((line) => line.length <= columns)).toBe(true);
  });
});

describe.each(LOOKS)('in $look', ({ look, theme, styled }) => {
  test('the values of a check match their styled picture', async () => {
    const rig = await openSeries({ theme });
    await expectGolden(rig.screen, `series-${look}`, { styled });
    expect(rig.screen.lines.at(-1)).not.toBe('');
  });
});

describe('the values of a check over time', () => {
  test('the values have a scale with units, thresholds, and times', async () => {
    const { screen } = await openSeries();
    expect(screen.text).toContain('warn 30 s');
    expect(screen.text).toContain('crit 60 s');
    expect(screen.text).toMatch(/lag {2}last 1\d\d s, min \d+ ms, max 1\d\d s|lag {2}last/);
    expect(screen.text).toMatch(/UTC.*18:00.*06:00/);
  });

  test.each([
    { recorded: 'no_data' as const, text: 'neither a duration nor performance data' },
    { recorded: 'disabled' as const, text: 'series.enabled of the backend is false' },
    { recorded: 'limit' as const, text: 'series.checks of the backend is reached' },
    { recorded: 'yes' as const, text: 'no values in the last 24 hours' },
  ])('values that are missing because of $recorded say so', async ({ recorded, text }) => {
    const { screen } = await openSeries({}, { ...SERIES, recorded, metrics: [], points: [] });
    expect(screen.text).toContain(text);
  });

  test('labels and units of a hostile check do not reach the terminal unchanged', async () => {
    const [point] = SERIES.points;
    const metrics = [{ label: 'a\u001B[31mb', unit: '\u0007', warn: '1', crit: null, min: null, max: null }];
    const points = point === undefined ? [] : [{ ...point, values: [valueOf(1)] }];
    const { screen } = await openSeries({}, { ...SERIES, metrics, points });
    expect(screen.text).not.toContain('\u001B');
    expect(screen.text).not.toContain('\u0007');
  });

  test('a backend without series is named as such', async () => {
    const rig = await openScene({ api: () => ({ status: 404 }) });
    rig.type('M');
    await rig.shows('this version of the backend has no series');
    expect(rig.screen.text).not.toContain('as of');
  });
});
