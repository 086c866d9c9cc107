import { formatDuration } from '../../../shared/domain/duration.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { shortCountText } from '../../words/count-text.ts';
import { eventClass, type EventRecord } from '../../model/event-record.ts';
import { splitName } from '../../model/backend-names.ts';
import { fit, type FitOptions } from '../../terminal/cells.ts';
import { classTone, FLAPPING_SYMBOL, run, SILENCED_SYMBOL, STATUS, type Run } from '../../text/theme.ts';
import { shifted } from '../../text/shifted.ts';
import { sortedTitle } from '../../list/table-columns.ts';
import { stepsOf } from '../../list/table-place.ts';
import { BACKEND_COLUMN, NAMESPACE_COLUMN, type WhereColumn } from '../../model/event-sort.ts';
import type { SortState } from '../../model/list-order.ts';

/** Widths of the columns of the list in cells; 0: not shown. The output takes what is left. */
export interface EventColumns {
  /** Of the column that says where a row is. */
  readonly backend: number;
  /** Which one that is. */
  readonly where: WhereColumn;
  readonly client: number;
  readonly check: number;
  readonly count: number;
  readonly age: number;
  readonly last: number;
  readonly output: number;
  readonly isOutputShown: boolean;
  /** Columns that are left out at the left, and cells of the output. */
  readonly left: number;
  readonly shift: number;
  /** Columns for which there is no room. */
  readonly right: number;
}

const EVENT_CELLS = ['backend', 'client', 'check', 'count', 'age', 'last', 'output'] as const;
type EventCell = (typeof EVENT_CELLS)[number];

/** Cells of cursor, mark and status, with the spaces around them. */
const LEAD = 3;
const STATUS_CELLS = 8;
const GAP = 2;

/** Cells of the names of backends or namespaces, at most: on a wide screen, and on a narrow one, where the title fits. */
const WIDE_CELLS = 14;
const NARROW_CELLS = { [BACKEND_COLUMN]: 'BACKEND'.length, [NAMESPACE_COLUMN]: 'NAMESPACE'.length };

/**
 * The columns that fit, by what people miss least: LAST goes first, then the count, then names get narrower.
 *
 * @param contexts of a list of several places
 */
export function eventColumns(
  columns: number,
  hidden: ReadonlySet<string> = new Set(),
  contexts: Iterable<string> = [],
  { sideways = 0, whole, where = BACKEND_COLUMN }: SideLookOfEvents = {},
): EventColumns {
  const isWide = columns >= 100;
  const more = Math.max(0, columns - 120);
  const fewer = Math.max(0, 80 - columns);
  const width = (id: string, cells: number): number => (hidden.has(id) ? 0 : cells);
  const longest = Math.max(0, ...Array.from(contexts, (name) => name.length));
  const narrow = NARROW_CELLS[where];
  const widest = isWide ? WIDE_CELLS : narrow;
  const backend = width(where, longest === 0 ? 0 : Math.min(widest, Math.max(longest, narrow)));
  const client = width('client', isWide ? 20 + Math.min(20, more >> 2) : 19 - (fewer >> 3));
  const check = width('check', isWide ? 15 + Math.min(15, more >> 3) : 14 - (fewer >> 2));
  const count = width('count', isWide ? 5 : fewer > 0 ? 0 : 3);
  const age = width('age', 4);
  const last = width('last', isWide ? 4 : 0);
  const wished: Readonly<Record<Narrow, number>> = { backend, client, check, count, age, last };
  const isOutputShown = !hidden.has('output');
  const isThere = (id: Narrow): boolean => (id === 'backend' ? backend > 0 : !hidden.has(id));
  const there = NARROW.filter(isThere);
  const room = columns - LEAD - STATUS_CELLS;
  if (sideways > 0 || whole !== undefined) {
    const { left, shift } = stepsOf(sideways, there.length + 1);
    const placed = placeFrom(there.slice(left), room, wished, whole);
    // Names that are whole may leave nothing for the output.
    const right = placed.right + (isOutputShown && placed.output === 0 ? 1 : 0);
    return { ...placed, right, left, shift, isOutputShown, where };
  }
  const taken = [backend, client, check, count, age, last].reduce(
    (sum, cells) => sum + (cells === 0 ? 0 : cells + GAP),
    0,
  );
  const right = there.filter((id) => wished[id] === 0).length;
  return { ...wished, output: Math.max(0, room - taken), isOutputShown, left: 0, shift: 0, right, where };
}

type Narrow = Exclude<EventCell, 'output'>;
const NARROW: readonly Narrow[] = ['backend', 'client', 'check', 'count', 'age', 'last'];

/** How the list is looked at from the side. */
interface SideLookOfEvents {
  readonly sideways?: number;
  /** Cells of the longest names, which are to be whole. */
  readonly whole?: Readonly<Partial<Record<Narrow, number>>> | undefined;
  /** Default: the backend. */
  readonly where?: WhereColumn;
}

/** Cells of the columns that are only there when there is room for them. */
const ROOMY: Readonly<Partial<Record<Narrow, number>>> = { count: 5, last: 4 };

/** As many of these columns as there is room for; the output takes the rest. */
function placeFrom(
  there: readonly Narrow[],
  room: number,
  wished: Readonly<Record<Narrow, number>>,
  whole: SideLookOfEvents['whole'] = {},
): Omit<EventColumns, 'left' | 'shift' | 'isOutputShown' | 'where'> {
  const widths = { backend: 0, client: 0, check: 0, count: 0, age: 0, last: 0 };
  let rest = room;
  let right = 0;
  for (const id of there) {
    const width = Math.min(Math.max(wished[id], ROOMY[id] ?? 0, whole[id] ?? 0), room - GAP);
    if (right > 0 || width + GAP > rest) right += 1;
    else {
      widths[id] = width;
      rest -= width + GAP;
    }
  }
  return { ...widths, output: rest, right };
}

/** The cells of a row behind its status; columns without width are left out. */
function joinCells(layout: EventColumns, cells: Readonly<Record<EventCell, string>>): string {
  const shown = EVENT_CELLS.filter((id) => id === 'output' || layout[id] > 0);
  const align = (id: EventCell): FitOptions => {
    if (id === 'client') return { cut: 'middle' };
    return id === 'count' || id === 'age' || id === 'last' ? { align: 'right' } : {};
  };
  const text = (id: EventCell): string => (id === 'output' && !layout.isOutputShown ? '' : cells[id]);
  return shown.map((id) => fit(text(id), layout[id], align(id))).join(' '.repeat(GAP));
}

/** The column that is drawn at a cell of the row; `undefined`: none. */
export function eventColumnAt(
  layout: EventColumns,
  cell: number,
): 'status' | EventCell | typeof NAMESPACE_COLUMN | undefined {
  let start = LEAD + STATUS_CELLS;
  if (cell < start) return cell < LEAD ? undefined : 'status';
  for (const id of EVENT_CELLS) {
    if (layout[id] === 0) continue;
    start += layout[id] + GAP;
    // The space behind a title belongs to it: nobody aims at one cell.
    if (cell < start) return id === 'backend' ? layout.where : id;
  }
  return undefined;
}

export function headRuns(layout: EventColumns, sort: SortState, stale: boolean): readonly Run[] {
  // Severity and age is the order that the list begins with: its direction is told at the age.
  const sorted = sort.column === 'status' ? 'age' : sort.column === layout.where ? 'backend' : sort.column;
  const title = (id: EventCell, text: string): string => (id === sorted ? sortedTitle(text, sort, layout[id]) : text);
  const cells = joinCells(layout, {
    backend: title('backend', layout.where === NAMESPACE_COLUMN ? 'NAMESPACE' : 'BACKEND'),
    client: title('client', 'CLIENT'),
    check: title('check', 'CHECK'),
    count: title('count', layout.count < 5 ? 'N' : 'COUNT'),
    age: title('age', 'AGE'),
    last: title('last', 'LAST'),
    output: stale ? staleHead(layout.output) : 'OUTPUT',
  });
  return [run(' '.repeat(LEAD)), run(`${'STATUS'.padEnd(STATUS_CELLS)}${cells}`, 'strong')];
}

function staleHead(width: number): string {
  return width < 20 ? 'STALE OUTPUT' : 'OUTPUT  (stale data)';
}

export interface RowAbout {
  readonly layout: EventColumns;
  readonly nowMs: number;
  readonly isCursor: boolean;
  readonly isMarked: boolean;
  /** The connection is lost: nothing here is known to be true any more. */
  readonly stale: boolean;
  readonly silence: SilencedRow | undefined;
}

/** Status changes stay marked for this long. */
const NEWS_MS = 2000;

export function eventRuns(record: EventRecord, about: RowAbout): readonly Run[] {
  const { row, gone } = record;
  const { layout, isCursor, isMarked, nowMs } = about;
  const nowSeconds = nowMs / 1000;
  const lead = `${isCursor ? '>' : ' '}${isMarked ? '*' : ' '} `;
  const status = statusCell(record).padEnd(STATUS_CELLS);
  const { name, context = '' } = splitName(row.client);
  const rest = joinCells(layout, {
    backend: context,
    client: safeLine(layout.backend === 0 ? row.client : name),
    check: safeLine(row.check),
    count: shortCountText(row.occurrences, layout.count),
    age: formatDuration(nowSeconds - row.since, 1),
    last: formatDuration(nowSeconds - row.last, 1),
    output: shifted(outputText(record, about.silence, nowMs), layout.shift),
  });
  // Under the cursor one tone for the whole row: colors inside an inverse row are hard to read on many terminals.
  if (isCursor) return [run(lead + status + rest, 'cursor')];
  if (gone || about.stale || row.silenced_by.length > 0) return [run(lead), run(status + rest, 'faint')];
  const isNews = nowMs - record.changedAtMs < NEWS_MS;
  const tone = row.action === 'flapping' ? 'flapping' : classTone(eventClass(row));
  return [run(lead), run(status, tone), run(rest, isNews ? 'strong' : 'plain')];
}

/** Symbol and word: readable without color, and without the symbol's font. */
function statusCell({ row, gone }: EventRecord): string {
  if (gone) return '✓ gone';
  const { symbol, word } = STATUS[severityOf(row.status)];
  if (row.silenced_by.length > 0) return `${SILENCED_SYMBOL} ${word}`;
  return row.action === 'flapping' ? `${FLAPPING_SYMBOL} ${word}` : `${symbol} ${word}`;
}

/** What the column of the output says. */
export function outputText({ row, gone }: EventRecord, silence: SilencedRow | undefined, nowMs: number): string {
  if (gone) return 'resolved';
  const output = safeLine(row.output);
  if (row.silenced_by.length === 0) return row.action === 'flapping' ? `flapping  ${output}` : output;
  if (silence === undefined) return `silenced: ${output}`;
  const { creator, expire_at, reason } = silence;
  const by = creator === null ? '' : ` by ${safeLine(creator)}`;
  const left = expire_at === null ? '' : `, ${formatDuration(expire_at - nowMs / 1000, 1)} left`;
  return `silenced${by}${left}: ${reason === null ? output : safeLine(reason)}`;
}
