import { splitName } from '../model/backend-names.ts';
import { NAMESPACE_COLUMN } from '../model/where-column.ts';
import { compareText } from '../../shared/domain/compare-text.ts';
import type { Tone } from '../text/theme.ts';
import { shortCountText } from '../words/count-text.ts';
import type { TableColumn } from './table-column.ts';

type More<Row> = Partial<Omit<TableColumn<Row>, 'id' | 'title' | 'text'>>;

/**
 * Returns a column.
 *
 * @param cells `least` and `most`
 */
export function column<Row>(
  id: string,
  title: string,
  [least, most]: readonly [number, number],
  text: TableColumn<Row>['text'],
  more: More<Row> = {},
): TableColumn<Row> {
  return { id, title, least, most, text, ...more };
}

/**
 * Returns a column of names or other text that can be sorted.
 *
 * @param cells `least` and `most`
 */
export function textColumn<Row>(
  id: string,
  title: string,
  [least, most]: readonly [number, number],
  text: (row: Row) => string,
  more: More<Row> = {},
): TableColumn<Row> {
  return { id, title, least, most, text, compare: (a, b) => compareText(text(a), text(b)), ...more };
}

/** Returns a column of numbers, the largest first. Zero is faint, and `-` stands for an unknown number. */
export function countColumn<Row>(
  id: string,
  title: string,
  count: (row: Row) => number | undefined,
  { tone = 'plain', ...more }: Omit<More<Row>, 'tone'> & { readonly tone?: Tone } = {},
): TableColumn<Row> {
  return {
    id,
    title,
    least: 4,
    most: 7,
    align: 'right',
    text: (row, _, width = 7) => {
      const counted = count(row);
      return counted === undefined ? '-' : shortCountText(counted, width);
    },
    tone: (row) => ((count(row) ?? 0) === 0 ? 'faint' : tone),
    compare: (a, b) => (count(b) ?? 0) - (count(a) ?? 0),
    ...more,
  };
}

/**
 * Returns the columns of the name, and of the namespace in a list of all namespaces.
 *
 * @param nameOf returns the name in the list, with its namespace
 */
export function placedColumns<Row>(
  id: string,
  title: string,
  cells: readonly [number, number],
  nameOf: (row: Row) => string,
): readonly TableColumn<Row>[] {
  return [
    textColumn(id, title, cells, (row) => splitName(nameOf(row)).name, { cut: 'middle' }),
    textColumn(NAMESPACE_COLUMN, 'NAMESPACE', [10, 14], (row) => splitName(nameOf(row)).context ?? ''),
  ];
}
