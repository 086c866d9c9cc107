import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { SortState } from '../model/list-order.ts';
import { cellWidth, fitToWidth } from '../terminal/cells.ts';
import { CHANGED_ROW_TEXT, inverseTone, ROW_TEXT, run, type RowTone, type Run, type Tone } from '../text/theme.ts';
import { fitRuns } from '../text/runs.ts';
import { withoutFirstCells } from '../text/shift-text.ts';
import { titleWidth, type ContentWidths } from './content-widths.ts';
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
export const GAP_CELLS = 2;

/** Maximum number of additional cells that a column requests, however large its `most` is. */
const EXTRA_WIDTH_MAX = 60;

/**
 * Returns the columns that fit on a screen of `columns` cells. If they do not all fit, the columns with the highest
 * `dropRank` are dropped first. The remaining cells make the columns wider: first those with a longer text, and then
 * those without a maximum width.
 *
 * @param content widths of the texts; a column whose texts were not measured can use its maximum width
 */
export function layOutColumns(
  table: { readonly columns: readonly TableColumn<unknown>[] },
  hidden: ReadonlySet<string>,
  columns: number,
  content: ContentWidths = NO_CONTENT_WIDTHS,
): readonly PlacedColumn[] {
  const available = columns - LEAD_CELLS;
  const fitted = table.columns.map((column) => fittedColumn(column, content));
  let shown = fitted.filter(({ id }, index) => index === 0 || !hidden.has(id));
  while (leastWidth(shown) > available) {
    const spare = shown.reduce((most, { dropRank: number = 0 }) => Math.max(most, number), 0);
    if (spare === 0) break;
    shown = shown.filter((column) => (column.dropRank ?? 0) !== spare);
  }
  const placed = shown.map((column) => ({ column, width: column.least }));
  return widenColumns(placed, Math.max(0, available - leastWidth(shown)), content);
}

const NO_CONTENT_WIDTHS: ContentWidths = new Map();

/** Returns a column that is at most as wide as its title and its longest text. */
export function fittedColumn(column: TableColumn<unknown>, content: ContentWidths): TableColumn<unknown> {
  const cells = content.get(column.id);
  if (cells === undefined) return column;
  const most = Math.min(column.most, Math.max(cells, titleWidth(column)));
  return { ...column, least: Math.min(column.least, most), most };
}

/**
 * Distributes `extra` cells among the columns, in proportion to how much wider each can be: first among the measured
 * columns, so that their texts are not cut, and then among the others. The last column gets the remainder.
 */
export function widenColumns(
  shown: readonly PlacedColumn[],
  extra: number,
  content: ContentWidths = NO_CONTENT_WIDTHS,
): readonly PlacedColumn[] {
  const isMeasured = ({ column: { id } }: PlacedColumn): boolean => content.has(id);
  const measured = shown.map((one) => (isMeasured(one) ? requestedExtra(one) : 0));
  const others = shown.map((one) => (isMeasured(one) ? 0 : requestedExtra(one)));
  const first = distributeCells(measured, extra);
  const second = distributeCells(others, extra - totalOf(first));
  const left = extra - totalOf(first) - totalOf(second);
  return shown.map(({ column, width }, index) => {
    const wider = width + (first[index] ?? 0) + (second[index] ?? 0);
    // A right-aligned column does not get the remainder, because its numbers would move away from the title.
    const isLast = index === shown.length - 1 && column.align === undefined;
    return { column, width: isLast ? wider + left : wider };
  });
}

function requestedExtra({ column: { most }, width }: PlacedColumn): number {
  return Math.max(0, Math.min(EXTRA_WIDTH_MAX, most - width));
}

/** Returns what each of the requests gets of `available` cells, in proportion if they request more. */
function distributeCells(requests: readonly number[], available: number): readonly number[] {
  const requested = totalOf(requests);
  if (requested <= available) return requests;
  return requests.map((cells) => Math.floor((available * cells) / requested));
}

function totalOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Returns the column that is drawn at a cell, counted from the left edge of the screen; `undefined` if there is none.
 */
export function tableColumnAt(placed: readonly PlacedColumn[], cell: number): TableColumn<unknown> | undefined {
  if (cell < LEAD_CELLS) return undefined;
  let start = LEAD_CELLS;
  return placed.find(({ width }) => {
    start += width + GAP_CELLS;
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
    // The sign of the sort order needs a cell, so a title that no longer fits is replaced by its short form.
    const title = titleOf(column, column.id === signAt ? width - 1 : width, stale);
    return fitToWidth(column.id === signAt ? sortedTitle(title, sort, width) : title, width, {
      align: column.align ?? 'left',
    });
  });
  return [
    run(' '.repeat(LEAD_CELLS)),
    run(fitToWidth(cells.join(' '.repeat(GAP_CELLS)), columns - LEAD_CELLS), 'strong'),
  ];
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
  /** The tone of the row and whether it has just changed; default: a plain row, or a faint one if it was removed. */
  readonly look?: RowStyle | undefined;
}

/** How a row is drawn apart from its cells. */
export interface RowStyle {
  readonly tone: RowTone;
  /** True if the row changed so recently that it is highlighted. */
  readonly isChanged: boolean;
}

export function tableRuns({ row, isRemoved }: TableEntry, options: TableRowOptions): readonly Run[] {
  const { placed, columns, isCursor, isMarked, stale, look } = options;
  const { tone, isChanged } = stale ? FAINT_LOOK : (look ?? (isRemoved ? FAINT_LOOK : PLAIN_LOOK));
  const cellTone = (own: Tone = 'plain'): Tone => {
    const isOwn = own !== 'plain' && tone !== 'faint';
    if (isCursor) return inverseTone(isOwn ? own : ROW_TEXT[tone]);
    if (isChanged) return isOwn ? inverseTone(own) : CHANGED_ROW_TEXT[tone];
    return isOwn ? own : ROW_TEXT[tone];
  };
  const runs: Run[] = [];
  addRun(runs, `${isCursor ? '>' : ' '}${isMarked ? '*' : ' '} `, cellTone());
  addCells(runs, row, options, cellTone);
  // The cells have exactly the width of their columns, so they need not be measured again.
  const left = columns - LEAD_CELLS - placed.reduce((sum, { width }) => sum + width, GAP_CELLS * (placed.length - 1));
  if (isCursor) addRun(runs, ' '.repeat(Math.max(0, left)), cellTone());
  return isCursor ? runs : withPlainEnd(runs);
}

const PLAIN_LOOK: RowStyle = { tone: 'plain', isChanged: false };
const FAINT_LOOK: RowStyle = { tone: 'faint', isChanged: false };

/** Appends the cells of a row, with the gaps between them. */
function addCells(
  runs: Run[],
  row: unknown,
  { placed, nowMs, shift = 0 }: TableRowOptions,
  cellTone: (own?: Tone) => Tone,
): void {
  for (const [index, { column, width }] of placed.entries()) {
    const isLast = index === placed.length - 1;
    const tone = column.tone?.(row, nowMs);
    if (column.runs === undefined)
      addRun(runs, cellText(row, { column, width }, nowMs, isLast ? shift : 0), cellTone(tone));
    else
      for (const piece of fitRuns(column.runs(row, nowMs, width), width))
        addRun(runs, piece.text, cellTone(piece.tone));
    if (!isLast) addRun(runs, GAP_TEXT, cellTone());
  }
}

/** Returns the runs with plain spaces at their end. Ink omits these, but would write spaces that have a color. */
function withPlainEnd(runs: readonly Run[]): readonly Run[] {
  const last = runs.at(-1);
  if (last === undefined || last.tone === 'plain') return runs;
  const text = last.text.replace(/ +$/, '');
  return [...runs.slice(0, -1), run(text, last.tone), run(' '.repeat(last.text.length - text.length))];
}

/**
 * Appends a text to the runs. A text with the same tone as the last run is merged with it, because each run costs time
 * at every stage of a frame.
 */
function addRun(runs: Run[], text: string, tone: Tone): void {
  const last = runs.at(-1);
  if (last?.tone === tone) runs[runs.length - 1] = run(last.text + text, tone);
  else runs.push(run(text, tone));
}

const GAP_TEXT = ' '.repeat(GAP_CELLS);

function cellText(row: unknown, { column, width }: PlacedColumn, nowMs: number, leftOut: number): string {
  const text = safeLine(column.text(row, nowMs, leftOut === 0 ? width : undefined));
  return fitToWidth(leftOut === 0 ? text : withoutFirstCells(text, leftOut), width, column);
}

function leastWidth(columns: readonly TableColumn<unknown>[]): number {
  return columns.reduce((sum, { least }) => sum + least, 0) + GAP_CELLS * Math.max(0, columns.length - 1);
}
