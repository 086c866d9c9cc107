import { describe, expect, test } from 'vitest';
import { joinColumns, panelHeights, panelLines, type Panel } from '../../../tui/text/panel.ts';
import { cellWidth } from '../../../tui/terminal/cells.ts';
import { run } from '../../../tui/text/theme.ts';

const OUTPUT: Panel = { title: 'Output', lines: [[run('CRITICAL: 502')], [run('server: nginx, 日本')]] };

function rows(panel: Panel, columns: number, count: number): readonly string[] {
  return panelLines(panel, { columns, rows: count }).map((line) => line.map(({ text }) => text).join(''));
}

describe('a panel', () => {
  test('a panel has a border with its title, and its lines cut to the width', () => {
    expect(rows(OUTPUT, 20, 4)).toEqual([
      '┌─ Output ─────────┐',
      '│ CRITICAL: 502    │',
      '│ server: nginx, … │',
      '└──────────────────┘',
    ]);
  });

  test('a panel with the focus has a heavy border, which differs without color', () => {
    expect(rows({ ...OUTPUT, isFocused: true }, 20, 3)).toEqual([
      '┏━ Output ━━━━━━━━━┓',
      '┃ CRITICAL: 502    ┃',
      '┗━━━━━━━━━━━━━━━━━━┛',
    ]);
  });

  test('a panel shows a note at the right end of its upper border if it fits', () => {
    expect(rows({ ...OUTPUT, note: '1-1 of 2' }, 26, 3)[0]).toBe('┌─ Output ──── 1-1 of 2 ─┐');
    expect(rows({ ...OUTPUT, note: '1-1 of 2' }, 12, 3)[0]).toBe('┌─ Output ─┐');
  });

  test.each([8, 12, 20, 41, 80])('each row of a panel has exactly %i cells', (columns) => {
    const panel = { ...OUTPUT, title: 'A title that is longer than 20 cells', note: '1-2 of 40' };
    const widths = panelLines(panel, { columns, rows: 5 }).map((line) =>
      line.reduce((sum, { text }) => sum + cellWidth(text), 0),
    );
    expect(widths).toEqual([columns, columns, columns, columns, columns]);
  });

  test('panels are joined side by side row by row', () => {
    const left = [[run('ab')], [run('cd')]];
    const right = [[run('1')], [run('2')]];
    expect(joinColumns([left, right])).toEqual([
      [run('ab'), run('1')],
      [run('cd'), run('2')],
    ]);
  });
});

describe('the heights of panels', () => {
  test('each panel gets its minimum in order, and the others get no rows', () => {
    const needs = [
      { least: 3, most: 5 },
      { least: 4, most: 9 },
      { least: 4, most: 4 },
    ];
    expect(panelHeights(needs, 8)).toEqual([4, 4, 0]);
  });

  test('the remaining rows go to the panels that can fill them, one at a time', () => {
    const needs = [
      { least: 3, most: 4 },
      { least: 3, most: 9 },
    ];
    expect(panelHeights(needs, 12)).toEqual([4, 8]);
    expect(panelHeights(needs, 40)).toEqual([4, 9]);
  });
});
