import { expect, test } from 'vitest';
import { ColumnMeasure } from '../../../tui/list/content-widths.ts';
import { textColumn } from '../../../tui/list/column-kinds.ts';
import { layOutColumns } from '../../../tui/list/table-columns.ts';
import type { TableColumn } from '../../../tui/list/table-column.ts';

const NOW_MS = 0;
const COLUMNS = [
  textColumn<string>('name', 'NAME', [20, 40], (row) => row),
  textColumn<string>('output', 'OUTPUT', [10, Infinity], (row) => row),
] as readonly TableColumn<unknown>[];

function nameWidth(measure: ColumnMeasure, listKey: string, rows: readonly string[]): number | undefined {
  const content = measure.measure(listKey, COLUMNS, rows, NOW_MS);
  return layOutColumns({ columns: COLUMNS }, new Set(), 100, content)[0]?.width;
}

test('a column is as wide as its longest text, grows at once and shrinks only in another list', () => {
  const measure = new ColumnMeasure();
  expect(nameWidth(measure, 'list', ['web-1', 'database-1'])).toBe('database-1'.length);
  expect(nameWidth(measure, 'list', ['a-name-of-25-characters-x'])).toBe(25);
  expect(nameWidth(measure, 'list', ['web-1'])).toBe(25);
  expect(nameWidth(measure, 'sorted list', ['web-1'])).toBe('web-1'.length);
});

test('a column is at least as wide as its title with the sign of the sort order', () => {
  expect(nameWidth(new ColumnMeasure(), 'list', ['db'])).toBe('NAME▼'.length);
});

test('a column is never wider than its maximum width', () => {
  expect(nameWidth(new ColumnMeasure(), 'list', ['x'.repeat(200)])).toBe(40);
});

test('the last column gets the cells that the other columns do not need', () => {
  const content = new ColumnMeasure().measure('list', COLUMNS, ['web-1'], NOW_MS);
  const placed = layOutColumns({ columns: COLUMNS }, new Set(), 100, content);
  expect(placed.map(({ width }) => width)).toEqual([5, 100 - 3 - 5 - 2]);
});
