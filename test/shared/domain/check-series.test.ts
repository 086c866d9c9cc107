import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CheckSeries, hasSample, shownSeries, type ShownSeries } from '../../../shared/domain/check-series.ts';

const STEP = 300;
const START = 1_790_000_000;

/** A series with its stored chunks, as the store has them. */
class StoredRig {
  series = CheckSeries.empty('web-1', 'disk');
  readonly chunks: string[] = [];
  stores = 0;

  add(executed: number, more: { output?: string | undefined; duration?: number; now?: number } = {}): void {
    const { duration, now = executed } = more;
    const output = 'output' in more ? more.output : 'OK';
    const ended = this.series.add({ executed, duration, output }, now);
    if (ended === undefined) return;
    this.stores++;
    if (ended.chunk !== undefined) this.chunks[ended.chunk.slot] = ended.chunk.text;
  }

  shownSeriesAt(now: number): ShownSeries {
    const { series, chunks } = this;
    return shownSeries({ text: series.encode(), chunks: chunks.filter(Boolean), current: series.currentPoint }, now);
  }

  /** Loads the series again, as after a restart. */
  restart(): void {
    this.series = CheckSeries.decode(this.series.encode());
  }
}

describe('the series of a check', () => {
  test('the results of a step become one point with average, minimum and maximum', () => {
    const rig = new StoredRig();
    rig.add(START, { duration: 1, output: 'OK|load=0.5;5;10;0;' });
    rig.add(START + 10, { duration: 3, output: 'OK|load=1.5;5;10;0;' });
    const { metrics, points } = rig.shownSeriesAt(START + 10);
    expect(metrics).toEqual([{ label: 'load', unit: '', warn: '5', crit: '10', min: 0, max: null }]);
    expect(points).toEqual([
      { at: expect.any(Number), duration: { avg: 2, min: 1, max: 3 }, values: [{ avg: 1, min: 0.5, max: 1.5 }] },
    ]);
    expect(points[0]?.at).toBeGreaterThan(START - STEP);
  });

  test('a series is stored once per step and has at most 288 points of the last day', () => {
    const rig = new StoredRig();
    let at = START;
    for (; at < START + 3 * 86_400; at += 60) rig.add(at, { duration: 1, output: `OK|n=${String(at)}` });
    expect(rig.stores).toBe((3 * 86_400) / STEP);
    expect(rig.chunks.length).toBe(24);
    expect(rig.series.encode().length).toBeLessThan(1200);
    const { points } = rig.shownSeriesAt(at);
    expect(points.length).toBeGreaterThan(285);
    expect(points.length).toBeLessThanOrEqual(288);
    expect(points.map((point, index) => point.at - (points[0]?.at ?? 0) - index * STEP).every((gap) => gap === 0)).toBe(
      true,
    );
  });

  test('a result with the same output as before repeats its metrics', () => {
    const rig = new StoredRig();
    rig.add(START, { output: 'OK|load=2', duration: 1 });
    rig.add(START + STEP, { output: undefined, duration: 4 });
    expect(rig.shownSeriesAt(START + STEP).points.map(({ values }) => values[0]?.avg)).toEqual([2, 2]);
  });

  test('results that arrive late or from the future do not change earlier points', () => {
    const rig = new StoredRig();
    rig.add(START, { duration: 1 });
    rig.add(START + 10 * STEP, { duration: 2 });
    rig.add(START + STEP, { duration: 99, now: START + 10 * STEP });
    rig.add(START + 10_000 * STEP, { duration: 4, now: START + 10 * STEP });
    expect(rig.shownSeriesAt(START + 10 * STEP).points.map(({ duration }) => duration?.max)).toEqual([1, 4]);
  });

  test('the results of an agent that was offline become points of the time when they were executed', () => {
    const rig = new StoredRig();
    const now = START + 20 * STEP;
    rig.add(START, { duration: 1 });
    for (let step = 1; step <= 20; step++) rig.add(START + step * STEP, { duration: step, now });
    expect(rig.shownSeriesAt(now).points.length).toBe(21);
  });

  test('a series continues after the clock was set back, without the points from the future', () => {
    const rig = new StoredRig();
    rig.add(START, { duration: 1 });
    rig.add(START + 50 * STEP, { duration: 2 });
    rig.add(START + 51 * STEP, { duration: 3 });
    rig.add(START + STEP, { duration: 4, now: START + STEP });
    expect(rig.shownSeriesAt(START + STEP).points.map(({ duration }) => duration?.avg)).toEqual([1, 4]);
  });

  test('a restart loses only the current step', () => {
    const rig = new StoredRig();
    rig.add(START, { output: 'OK|a=1' });
    rig.add(START + STEP, { output: 'OK|a=2' });
    rig.add(START + 2 * STEP, { output: 'OK|a=3' });
    rig.restart();
    rig.add(START + 3 * STEP, { output: 'OK|a=4' });
    expect(rig.shownSeriesAt(START + 3 * STEP).points.map(({ values }) => values[0]?.avg)).toEqual([1, 2, 4]);
  });

  test('a result without a metric leaves a gap in its values only', () => {
    const rig = new StoredRig();
    rig.add(START, { output: 'OK|a=1 b=2', duration: 1 });
    rig.add(START + STEP, { output: 'CRITICAL: connection refused', duration: 1 });
    rig.add(START + 2 * STEP, { output: 'OK|a=3', duration: 1 });
    expect(rig.shownSeriesAt(START + 2 * STEP).points.map(({ values }) => values.map((value) => value?.avg))).toEqual([
      [1, 2],
      [undefined, undefined],
      [3, undefined],
    ]);
  });

  test('metrics that are no longer reported make room when others need it', () => {
    const rig = new StoredRig();
    rig.add(START, { output: 'OK|a=1 b=2 c=3 d=4' });
    rig.add(START + STEP, { output: 'OK|a=1 b=2 c=3 e=5' });
    rig.add(START + 2 * STEP, { output: 'OK|a=9 e=6' });
    const { metrics, points } = rig.shownSeriesAt(START + 2 * STEP);
    expect(metrics.map(({ label }) => label)).toEqual(['a', 'b', 'c', 'e']);
    expect(points.map(({ values }) => values.map((value) => value?.avg))).toEqual([
      [1, 2, 3, undefined],
      [1, 2, 3, 5],
      [9, undefined, undefined, 6],
    ]);
  });

  test('an output with 10,000 labels has four metrics', () => {
    const rig = new StoredRig();
    rig.add(START, {
      output: `OK|${Array.from({ length: 10_000 }, (_, at) => `l${String(at)}=${String(at)}`).join(' ')}`,
    });
    expect(rig.shownSeriesAt(START).metrics.map(({ label }) => label)).toEqual(['l0', 'l1', 'l2', 'l3']);
  });

  test.each([NaN, Infinity, -1e300])('the duration %d is not recorded', (duration) => {
    const rig = new StoredRig();
    rig.add(START, { duration });
    expect(rig.shownSeriesAt(START).points).toEqual([]);
  });

  test('a result has something to record if it has a duration or a metric', () => {
    const base = { executed: START, duration: undefined };
    expect(hasSample({ ...base, output: 'OK' })).toBe(false);
    expect(hasSample({ ...base, output: 'OK|time=U' })).toBe(false);
    expect(hasSample({ ...base, output: 'OK|time=1s' })).toBe(true);
    expect(hasSample({ ...base, duration: 0.1, output: 'OK' })).toBe(true);
  });

  test('a series stays readable and small whatever results and clocks do', () => {
    const sample = fc.record({
      executed: fc.integer({ min: 0, max: START * 2 }),
      now: fc.oneof(fc.integer({ min: 0, max: START * 2 }), fc.constant(START)),
      duration: fc.double(),
      output: fc.oneof(
        fc.string(),
        fc.constant(undefined),
        fc
          .array(fc.tuple(fc.string({ maxLength: 5 }), fc.double()), { maxLength: 6 })
          .map((all) => `OK|${all.map(([label, value]) => `'${label}'=${String(value)}s;1;2`).join(' ')}`),
      ),
    });
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 60 }), (samples) => {
        const rig = new StoredRig();
        for (const { executed, ...more } of samples) rig.add(executed, more);
        const now = samples.at(-1)?.now ?? START;
        const before = rig.shownSeriesAt(now);
        rig.restart();
        expect(rig.chunks.length).toBeLessThanOrEqual(24);
        expect(before.metrics.length).toBeLessThanOrEqual(4);
        expect(rig.shownSeriesAt(now).points.length).toBeLessThanOrEqual(before.points.length);
        for (const { at, values } of before.points) {
          expect(at).toBeLessThanOrEqual(now);
          expect(values.length).toBe(before.metrics.length);
        }
      }),
    );
  });
});
