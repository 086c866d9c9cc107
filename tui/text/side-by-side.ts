import { run, type Line } from './theme.ts';

/** Number of cells between two columns: a vertical line with a space on both sides. */
const GUTTER_CELLS = 3;

/** Returns the widths, in cells, of two equal columns that share a screen of `columns` cells. */
export function halfWidths(columns: number): readonly [number, number] {
  const left = Math.floor((columns - GUTTER_CELLS) / 2);
  return [left, columns - GUTTER_CELLS - left];
}

/**
 * Returns columns of lines side by side, with a vertical line between them.
 *
 * @param columns the lines of each column, exactly as wide as the column; a line without runs is blank
 */
export function sideBySide(
  columns: readonly (readonly Line[])[],
  widths: readonly number[],
  height: number,
): readonly Line[] {
  return Array.from({ length: height }, (_, row) =>
    columns.flatMap((lines, index) => {
      const line = lines[row] ?? [];
      const cells = line.length === 0 ? [run(' '.repeat(widths[index] ?? 0))] : line;
      return index === 0 ? cells : [run(' │ ', 'faint'), ...cells];
    }),
  );
}
