import { splitName } from '../model/backend-names.ts';
import { NAMESPACE_COLUMN } from '../model/where-column.ts';
import { compareText } from '../../shared/domain/compare-text.ts';
import type { Tone } from '../text/theme.ts';
import { shortCountText } from '../words/count-text.ts';
import type { TableColumn } from './table-column.ts';

type ColumnOptions<Row> = Partial<Omit<TableColumn<Row>, 'id' | 'title' | 'text'>>;

/**
 * Returns a table column.
 *
 * @param cells the minimum and maximum width of the column in cells
 */
export function tableColumn<Row>(
  id: string,
  title: string,
  [least, most]: readonly [number, number],
  text: TableColumn<Row>['text'],
  more: ColumnOptions<Row> = {},
): TableColumn<Row> {
  return { id, title, least, most, text, ...more };
}

/**
 * Returns a column of names or other text, by which the list can be sorted.
 *
 * @param cells the minimum and maximum width of the column in cells
 */
export function textColumn<Row>(
  id: string,
  title: string,
  [least, most]: readonly [number, number],
  text: (row: Row) => string,
  more: ColumnOptions<Row> = {},
): TableColumn<Row> {
  return { id, title, least, most, text, compare: (a, b) => compareText(text(a), text(b)), ...more };
}

/**
 * Returns a column of numbers, sorted from the largest to the smallest. Zero is drawn faint, and an unknown number as
 * `-`.
 */
export function countColumn<Row>(
  id: string,
  title: string,
  count: (row: Row) => number | undefined,
  { tone = 'plain', ...more }: Omit<ColumnOptions<Row>, 'tone'> & { readonly tone?: Tone } = {},
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
 * Returns a column for the name of a row, and one for its namespace in a list of all namespaces.
 *
 * @param nameOf callback that returns the name of a row as the list shows it, with the namespace if there are several
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
