import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { SortState } from '../model/list-order.ts';
import { cellWidth, fit } from '../terminal/cells.ts';
import { run, type Run, type Tone } from '../text/theme.ts';
import { fitRuns } from '../text/runs.ts';
import { withoutFirstCells } from '../text/shift-text.ts';
import type { TableColumn } from './table-column.ts';

/** A row of a table with its key, as it is drawn. */
export interface TableEntry {
  readonly key: string;
  readonly row: unknown;
  /** True if the row no longer exists, but is still shown because sorting is paused. */
  readonly isRemoved: boolean;
}

/** A column with its width in cells. */
export interface PlacedColumn {
  readonly column: TableColumn<unknown>;
  readonly width: number;
}

/** Width of cursor and mark with the space after them, in cells. */
export const LEAD_CELLS = 3;
export const GAP = 2;

/** Maximum number of additional cells that a column requests, however large its `most` is. */
const EXTRA_WIDTH_MAX = 60;

/**
 * Returns the columns that fit on a screen of `columns` cells. If they do not all fit, the columns with the highest
 * `dropRank` are dropped first. The remaining cells make the columns wider.
 */
export function layOutColumns(
  table: { readonly columns: readonly TableColumn<unknown>[] },
  hidden: ReadonlySet<string>,
  columns: number,
): readonly PlacedColumn[] {
  const available = columns - LEAD_CELLS;
  let shown = table.columns.filter(({ id }, index) => index === 0 || !hidden.has(id));
  while (leastWidth(shown) > available) {
    const spare = shown.reduce((most, { dropRank: number = 0 }) => Math.max(most, number), 0);
    if (spare === 0) break;
    shown = shown.filter((column) => (column.dropRank ?? 0) !== spare);
  }
  return widen(
    shown.map((column) => ({ column, width: column.least })),
    Math.max(0, available - leastWidth(shown)),
  );
}

/**
 * Distributes `extra` cells among the columns, in proportion to how much wider each can be. The last column gets the
 * remainder.
 */
export function widen(shown: readonly PlacedColumn[], extra: number): readonly PlacedColumn[] {
  const requestedExtras = shown.map(({ column: { most }, width }) =>
    Math.max(0, Math.min(EXTRA_WIDTH_MAX, most - width)),
  );
  const all = Math.max(
    1,
    requestedExtras.reduce((sum, wish) => sum + wish, 0),
  );
  let left = extra;
  return shown.map(({ column, width }, index) => {
    const wish = requestedExtras[index] ?? 0;
    const isLast = index === shown.length - 1;
    const more = isLast ? left : Math.min(wish, Math.floor((extra * wish) / all));
    left -= more;
    // A right-aligned column does not get the remainder, because its numbers would move away from the title.
    return { column, width: width + (isLast && column.align !== undefined ? Math.min(wish, more) : more) };
  });
}

/**
 * Returns the column that is drawn at a cell, counted from the left edge of the screen; `undefined` if there is none.
 */
export function tableColumnAt(placed: readonly PlacedColumn[], cell: number): TableColumn<unknown> | undefined {
  if (cell < LEAD_CELLS) return undefined;
  let start = LEAD_CELLS;
  return placed.find(({ width }) => {
    start += width + GAP;
    return cell < start;
  })?.column;
}

/** Returns the line of column titles. The title of the sort column shows the direction. */
export function tableHead(
  placed: readonly PlacedColumn[],
  sort: SortState,
  columns: number,
  stale = false,
): readonly Run[] {
  const { signAt = sort.column } = placed.find(({ column }) => column.id === sort.column)?.column ?? {};
  const cells = placed.map(({ column, width }) => {
    const title = titleOf(column, width, stale);
    return fit(column.id === signAt ? sortedTitle(title, sort, width) : title, width, {
      align: column.align ?? 'left',
    });
  });
  return [run(' '.repeat(LEAD_CELLS)), run(fit(cells.join(' '.repeat(GAP)), columns - LEAD_CELLS), 'strong')];
}

function titleOf({ title, shortTitle, staleTitle }: TableColumn<unknown>, width: number, stale: boolean): string {
  if (stale && staleTitle !== undefined) return staleTitle(width);
  return shortTitle !== undefined && title.length > width ? shortTitle : title;
}

/**
 * Returns the title of the sort column with `▼`, or with `▲` if the order is reversed. If it does not fit, it loses
 * letters but never the sign.
 */
export function sortedTitle(title: string, { reversed }: Pick<SortState, 'reversed'>, width: number): string {
  const sign = reversed ? '▲' : '▼';
  return `${cellWidth(title) < width ? title : title.slice(0, Math.max(0, width - 1))}${sign}`;
}

export interface TableRowOptions {
  readonly placed: readonly PlacedColumn[];
  readonly columns: number;
  readonly nowMs: number;
  readonly isCursor: boolean;
  readonly isMarked: boolean;
  /** True if the connection is lost, so that the data may be outdated. */
  readonly stale: boolean;
  /** Number of cells by which the text in the last column is scrolled to the left. Default 0. */
  readonly shift?: number;
  /** True if the row is drawn faint, because it is less important. Default false. */
  readonly faint?: boolean;
  /** True if the space after a cell has the tone of the cell. Default false. */
  readonly tonedGaps?: boolean;
}

export function tableRuns({ row, isRemoved: gone }: TableEntry, options: TableRowOptions): readonly Run[] {
  const { placed, columns, isCursor, isMarked } = options;
  const lead = `${isCursor ? '>' : ' '}${isMarked ? '*' : ' '} `;
  const runs = cellRuns(row, options);
  // A row that is gone, stale, faint or under the cursor gets one tone, which replaces the tones of its cells. Colors
  // inside an inverse row are hard to read on many terminals.
  const rowTone = isCursor ? 'cursor' : gone || options.stale || options.faint === true ? 'faint' : undefined;
  if (rowTone === undefined) return [run(lead), ...runs];
  // The cells have exactly the width of their columns, so they need not be measured again.
  const left = columns - LEAD_CELLS - placed.reduce((sum, { width }) => sum + width, GAP * (placed.length - 1));
  const text = runs.map((piece) => piece.text).join('') + ' '.repeat(Math.max(0, left));
  return isCursor ? [run(lead + text, rowTone)] : [run(lead), run(text, rowTone)];
}

/** Returns the cells of a row with the gaps between them. */
function cellRuns(row: unknown, { placed, nowMs, shift = 0, tonedGaps = false }: TableRowOptions): readonly Run[] {
  const runs: Run[] = [];
  for (const [index, { column, width }] of placed.entries()) {
    const isLast = index === placed.length - 1;
    const tone = column.tone?.(row, nowMs);
    if (column.runs === undefined) add(runs, cellText(row, { column, width }, nowMs, isLast ? shift : 0), tone);
    else for (const piece of fitRuns(column.runs(row, nowMs, width), width)) add(runs, piece.text, piece.tone);
    if (!isLast) add(runs, BETWEEN, tonedGaps ? tone : 'plain');
  }
  return runs;
}

/**
 * Appends a text to the runs. A text with the same tone as the last run is merged with it, because each run costs time
 * at every stage of a frame.
 */
function add(runs: Run[], text: string, tone: Tone = 'plain'): void {
  const last = runs.at(-1);
  if (last?.tone === tone) runs[runs.length - 1] = run(last.text + text, tone);
  else runs.push(run(text, tone));
}

const BETWEEN = ' '.repeat(GAP);

function cellText(row: unknown, { column, width }: PlacedColumn, nowMs: number, leftOut: number): string {
  const text = safeLine(column.text(row, nowMs, leftOut === 0 ? width : undefined));
  return fit(leftOut === 0 ? text : withoutFirstCells(text, leftOut), width, column);
}

function leastWidth(columns: readonly TableColumn<unknown>[]): number {
  return columns.reduce((sum, { least }) => sum + least, 0) + GAP * Math.max(0, columns.length - 1);
}
