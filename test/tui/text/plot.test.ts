import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellWidth } from '../../../tui/terminal/cells.ts';
import { plotLines, type Plot, type PlotPoint } from '../../../tui/text/plot.ts';
import { toAscii, type Line } from '../../../tui/text/theme.ts';

const UNTIL = Date.UTC(2026, 10, 28, 12);
const SINCE = UNTIL - 86_400_000;
const SIZE = { width: 44, height: 7 };

function aPlot(values: readonly (number | PlotPoint)[], more: Partial<Plot> = {}): Plot {
  const points = values.map((value, index) =>
    typeof value === 'number'
      ? { at: SINCE + (index * (UNTIL - SINCE)) / Math.max(1, values.length - 1), value }
      : value,
  );
  return { series: [{ points }], since: SINCE, until: UNTIL, valueText: (value) => `${String(value)} %`, ...more };
}

function textsOf(lines: readonly Line[]): readonly string[] {
  return lines.map((runs) =>
    runs
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
}

function draw(plot: Plot, size = SIZE): readonly string[] {
  return textsOf(plotLines(plot, size));
}

describe('a plot over time', () => {
  test('a plot has a scale with units, a line, and times below the axis', () => {
    expect(draw(aPlot([0, 40, 20, 80]))).toEqual([
      '100 % ┤',
      '      │                                 ⣀⠤⠒⠉',
      ' 50 % ┤           ⢀⣀⣀              ⢀⡠⠤⠒⠉',
      '      │     ⢀⣀⠤⠔⠒⠉⠁  ⠉⠉⠉⠒⠒⠒⠤⠤⠤⣀⣀⡠⠔⠊⠁',
      '  0 % ┤⣀⠤⠔⠒⠉⠁',
      '      └┬────────┬────────┬────────┬────────┬',
      '  UTC  12:00  18:00    00:00    06:00  12:00',
    ]);
  });

  test('a plot in ASCII has no other characters and keeps its columns', () => {
    const lines = draw(aPlot([0, 40, 20, 80], { thresholds: [{ value: 90, label: 'crit 90 %', tone: 'critical' }] }));
    const ascii = lines.map((line) => toAscii(line, cellWidth));
    expect(ascii.join('')).toMatch(/^[ -~]+$/);
    expect(ascii.map((line) => line.length)).toEqual(lines.map((line) => cellWidth(line)));
    expect(ascii[0]).toBe('100 % +-------------------------- crit 90 %');
  });

  test('a threshold within the scale is a line in its tone with its label', () => {
    const [top] = plotLines(
      aPlot([10, 20], { thresholds: [{ value: 40, label: 'warn 40 %', tone: 'warning' }] }),
      SIZE,
    );
    expect(top?.filter(({ tone }) => tone === 'warning').map(({ text }) => text)).toEqual([
      `${'┄'.repeat(27)} warn 40 % `,
    ]);
  });

  test('a threshold far above all values does not flatten the line and is named at the top', () => {
    const lines = draw(aPlot([0.02, 0.03], { thresholds: [{ value: 10, label: 'crit 10 s', tone: 'critical' }] }));
    expect(lines[0]).toContain('crit 10 s ▲');
    expect(lines[0]).toContain('0.03 %');
  });

  test('points that are further apart than the gap are not joined', () => {
    const gapMs = 3_600_000;
    const values = [
      { at: SINCE, value: 50 },
      { at: SINCE + gapMs, value: 50 },
      { at: UNTIL, value: 50 },
    ];
    const line = draw(aPlot(values, { gapMs, range: { min: 0, max: 100 } }))[2] ?? '';
    expect(line.slice(line.indexOf('┤') + 1)).toMatch(/^[⠀-⣿]{2} {30,}[⠀-⣿]$/);
  });

  test('a filled series reaches down to the bottom of the plot', () => {
    const points = [SINCE, UNTIL].map((at) => ({ at, value: 100 }));
    const lines = draw(aPlot([], { range: { min: 0 }, series: [{ points, isFilled: true }] }));
    expect(lines.slice(1, 5).every((line) => line.endsWith('⣿'.repeat(37)))).toBe(true);
  });

  test('the range of a point is drawn from its minimum to its maximum', () => {
    const point = { at: SINCE, value: 50, min: 0, max: 100 };
    const rows = draw(aPlot([point]));
    expect(rows.slice(0, 5).map((line) => line[line.length - 1])).toEqual(['⡇', '⡇', '⡇', '⡇', '⡇']);
  });

  test.each([
    { name: 'no points', values: [] },
    { name: 'NaN only', values: [NaN] },
    { name: 'points outside of the time axis', values: [{ at: UNTIL + 1, value: 5 }] },
  ])('a plot with $name says that there is no data', ({ values }) => {
    expect(draw(aPlot(values)).join('\n')).toContain('no data');
  });

  test('every plot has exactly the requested rows and cells, whatever its values are', () => {
    const numbers = fc.oneof(fc.double(), fc.constantFrom(0, -0, 5e-324, -1e308, 1e308, Infinity, -Infinity, NaN));
    fc.assert(
      fc.property(
        fc.array(numbers, { maxLength: 20 }),
        fc.array(numbers, { maxLength: 2 }),
        fc.integer({ min: 20, max: 90 }),
        fc.integer({ min: 3, max: 20 }),
        (values, thresholds, width, height) => {
          const lines = plotLines(
            aPlot(values, {
              thresholds: thresholds.map((value) => ({ value, label: 'crit', tone: 'critical' })),
              valueText: (value) => value.toPrecision(3),
            }),
            { width, height },
          );
          expect(lines.map((runs) => cellWidth(runs.map(({ text }) => text).join('')))).toEqual(
            Array.from({ length: height }, () => width),
          );
        },
      ),
    );
  });
});
