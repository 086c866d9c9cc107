import { cellWidth } from '../terminal/cells.ts';
import { fitRuns, runsWidth } from './runs.ts';
import { run, type Line } from './theme.ts';
import { cutCells } from './wrap-cells.ts';

/** A box with a border, a title, and lines of text in it. */
export interface Panel {
  /** The title in the upper border, safe for a terminal. */
  readonly title: string;
  /** Text at the right end of the upper border, such as `line 3/40`, safe for a terminal. Default: none. */
  readonly note?: string;
  readonly lines: readonly Line[];
  /** True if the panel has the focus. Its border then has heavy lines, so that it also differs without color. */
  readonly isFocused?: boolean;
}

/** A size on the screen in cells and rows. */
export interface PanelSize {
  readonly columns: number;
  readonly rows: number;
}

/** The cells and rows that the border of a panel takes on both sides, with a blank on the left and on the right. */
export const PANEL_BORDER: PanelSize = { columns: 4, rows: 2 };

/** The characters of a border: its corners from the upper left to the lower right, then its lines. */
const PLAIN_BORDER = ['┌', '┐', '└', '┘', '─', '│'] as const;
const FOCUSED_BORDER = ['┏', '┓', '┗', '┛', '━', '┃'] as const;

/** Returns the rows of a panel, each in exactly `columns` cells. Lines that do not fit are cut. */
export function panelLines(
  { title, note = '', lines, isFocused = false }: Panel,
  { columns, rows }: PanelSize,
): readonly Line[] {
  const [topLeft, topRight, bottomLeft, bottomRight, across, down] = isFocused ? FOCUSED_BORDER : PLAIN_BORDER;
  const tone = isFocused ? 'accent' : 'faint';
  const inner = Math.max(0, columns - PANEL_BORDER.columns);
  const noteText = note === '' || cellWidth(note) + 4 > inner ? '' : ` ${note} `;
  const noteRuns = noteText === '' ? [] : [run(noteText, 'faint'), run(across, tone)];
  const available = columns - 3 - runsWidth(noteRuns);
  const titleText = ` ${cutCells(title, Math.max(1, available - 2))} `;
  const top: Line = [
    run(topLeft + across, tone),
    run(titleText, isFocused ? 'strong' : 'plain'),
    run(across.repeat(Math.max(0, available - cellWidth(titleText))), tone),
    ...noteRuns,
    run(topRight, tone),
  ];
  const left = run(`${down} `, tone);
  const right = run(` ${down}`, tone);
  const body = Array.from({ length: Math.max(0, rows - PANEL_BORDER.rows) }, (_, row): Line => [
    left,
    ...fitRuns(lines[row] ?? [], inner),
    right,
  ]);
  const bottom: Line = [run(bottomLeft + across.repeat(Math.max(0, columns - 2)) + bottomRight, tone)];
  return [top, ...body, bottom];
}

/** Returns columns of rows side by side. The rows of a column must all have the width of the column. */
export function joinColumns(columns: readonly (readonly Line[])[]): readonly Line[] {
  const [first = [], ...others] = columns;
  return first.map((line, row) => line.concat(others.flatMap((lines) => lines[row] ?? [])));
}

/** The number of rows that a panel needs at least, and that it can fill at most, with its border. */
export interface PanelNeed {
  readonly least: number;
  readonly most: number;
}

/**
 * Distributes `rows` among panels that are one below the other. Each panel gets its minimum in order, while the rows
 * suffice; a panel without space gets 0 rows. The remaining rows go to panels with more content, one row at a time.
 */
export function panelHeights(needs: readonly PanelNeed[], rows: number): readonly number[] {
  const heights = needs.map(() => 0);
  let left = rows;
  for (const [index, { least }] of needs.entries()) {
    if (least > left) break;
    heights[index] = least;
    left -= least;
  }
  while (left > 0) {
    const before = left;
    for (const [index, { most }] of needs.entries()) {
      const height = heights[index] ?? 0;
      if (left === 0 || height === 0 || height >= most) continue;
      heights[index] = height + 1;
      left -= 1;
    }
    if (left === before) break;
  }
  return heights;
}
