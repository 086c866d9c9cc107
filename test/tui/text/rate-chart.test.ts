import { describe, expect, test } from 'vitest';
import { rateChart } from '../../../tui/text/rate-chart.ts';
import { cellWidth } from '../../../tui/terminal/cells.ts';

/** Rows as text; ten cells of each are the scale. */
function chart(values: readonly number[], { cells = 4, height = 3, capacity = values.length } = {}): readonly string[] {
  return rateChart({ values, capacity }, cells + 10, height).map((runs) => runs.map(({ text }) => text).join(''));
}

describe('a chart of rates', () => {
  test('is columns over a line, with a scale that people can read', () => {
    expect(chart([0, 10, 20, 40])).toEqual(['     40 │   █', '     20 │ ▄██', '      0 └────']);
  });

  test.each([
    { most: 3, scale: '4' },
    { most: 61, scale: '80' },
    { most: 4100, scale: '6k' },
    { most: 90_000, scale: '100k' },
  ])('ends at a round number above $most: $scale', ({ most, scale }) => {
    expect(chart([most])[0]).toContain(` ${scale} │`);
  });

  test('shows anything above nothing', () => {
    expect(chart([1, 0, 0, 8000])[1]).toContain('│▁  █');
  });

  test('has the newest at its right end, and nothing where nothing was measured', () => {
    expect(chart([8, 8], { capacity: 4, height: 2 })[0]).toContain('│  ██');
  });

  test('takes means where there are more values than cells, none of them left out', () => {
    expect(chart([8, 0, 8, 8, 0, 0, 8, 8], { height: 2 })[0]).toContain('│▄█ █');
  });

  test.each([1, 7, 30, 90, 200])('is never wider than it may be: %d values', (count) => {
    const lines = chart(
      Array.from({ length: count }, () => 5),
      { cells: 40, capacity: 90 + count },
    );
    expect(lines.every((line) => cellWidth(line) <= 50)).toBe(true);
  });

  test('a chart of rates without any value is a line', () => {
    expect(chart([], { capacity: 90 }).at(-1)).toContain('└────');
  });
});
