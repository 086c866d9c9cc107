import { describe, expect, test } from 'vitest';
import { rateChart } from '../../../tui/text/rate-chart.ts';
import { cellWidth } from '../../../tui/terminal/cells.ts';

/** Returns the rows of the chart as text; the scale takes ten cells of each. */
function chart(values: readonly number[], { cells = 4, height = 3, capacity = values.length } = {}): readonly string[] {
  return rateChart({ values, capacity }, cells + 10, height).map((runs) => runs.map(({ text }) => text).join(''));
}

describe('a chart of rates', () => {
  test('a chart of rates has columns above a base line and a readable scale', () => {
    expect(chart([0, 10, 20, 40])).toEqual(['     40 │   █', '     20 │ ▄██', '      0 └────']);
  });

  test.each([
    { most: 3, scale: '4' },
    { most: 61, scale: '80' },
    { most: 4100, scale: '6k' },
    { most: 90_000, scale: '100k' },
  ])('the scale of a rate chart for a maximum of $most ends at $scale', ({ most, scale }) => {
    expect(chart([most])[0]).toContain(` ${scale} │`);
  });

  test('a chart of rates shows any value above zero', () => {
    expect(chart([1, 0, 0, 8000])[1]).toContain('│▁  █');
  });

  test('a chart of rates has the newest value at its right end and a gap for missing values', () => {
    expect(chart([8, 8], { capacity: 4, height: 2 })[0]).toContain('│  ██');
  });

  test('a chart of rates averages values if there are more values than cells', () => {
    expect(chart([8, 0, 8, 8, 0, 0, 8, 8], { height: 2 })[0]).toContain('│▄█ █');
  });

  test.each([1, 7, 30, 90, 200])('a chart of rates with %d values is never wider than allowed', (count) => {
    const lines = chart(
      Array.from({ length: count }, () => 5),
      { cells: 40, capacity: 90 + count },
    );
    expect(lines.every((line) => cellWidth(line) <= 50)).toBe(true);
  });

  test('a chart of rates without values is an empty line', () => {
    expect(chart([], { capacity: 90 }).at(-1)).toContain('└────');
  });
});
