import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { GAP, LEAD_CELLS, type PlacedColumn } from '../../list/table-columns.ts';
import { stepsOf, type ColumnScroll, type TableLayout } from '../../list/table-layout.ts';
import { BACKEND_COLUMN, NAMESPACE_COLUMN, type WhereColumn } from '../../model/where-column.ts';
import { splitName } from '../../model/backend-names.ts';
import type { EventRecord } from '../../model/event-record.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ScreenView } from '../../state/ports.ts';
import { cellWidth } from '../../terminal/cells.ts';
import { EVENT_COLUMNS, outputText } from './columns.ts';
import type { TableColumn } from '../../list/table-column.ts';

/** The columns of the list of events between status and output. The output column gets the remaining width. */
const NARROW = ['where', 'client', 'check', 'count', 'age', 'last'] as const;
type Narrow = (typeof NARROW)[number];

const STATUS_CELLS = 6;

/**
 * Maximum width of the column of backends or namespaces, in cells. On a narrow screen it is just wide enough for its
 * title.
 */
const WIDE_CELLS = 14;
const NARROW_CELLS = { [BACKEND_COLUMN]: 'BACKEND'.length, [NAMESPACE_COLUMN]: 'NAMESPACE'.length };

/**
 * Width in cells of `count` and `last` after the user scrolled or chose full texts. Otherwise, a narrow screen gives
 * them less space or none.
 */
const FULL_WIDTH_CELLS: Readonly<Partial<Record<Narrow, number>>> = { count: 5, last: 4 };

/** The state of the list of events that decides which columns are drawn. */
export interface EventLook extends Partial<ColumnScroll> {
  /** The column that names the backend or namespace in a merged list; default: the backend. */
  readonly where?: WhereColumn;
  /** The names of the backends or namespaces that the column can contain; default: none. */
  readonly sourceNames?: Iterable<string>;
  /** The visible events, whose texts decide the column widths; default: none. */
  readonly window?: readonly EventRecord[];
}

/** Returns the drawn columns of the list of events with their widths. */
export function layOutEventTable(
  store: ScreenView & LiveData & { readonly list: ColumnScroll },
  window: readonly EventRecord[],
): TableLayout {
  const { state, list, silenced, whereColumn: where, nowMs } = store;
  const layout = fitEventColumns(state.size.columns, { ...list, where, sourceNames: store.sourceNames(), window });
  const isCut = ({ column, width }: PlacedColumn): boolean =>
    column.id === 'output' &&
    window.some((record) => {
      const text = outputText({ record, silence: silenceOf(silenced, record) }, nowMs);
      return cellWidth(safeLine(text)) > width + layout.shift;
    });
  return {
    ...layout,
    get hasMore() {
      return layout.right > 0 || layout.placed.some(isCut);
    },
  };
}

/** Returns the first of an event's silences that the feed has sent; `undefined` if it has sent none. */
export function silenceOf(
  silenced: ReadonlyMap<string, SilencedRow>,
  { row: { silenced_by: ids } }: EventRecord,
): SilencedRow | undefined {
  for (const id of ids) {
    const entry = silenced.get(id);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/**
 * Returns the columns that fit on the screen. On a narrow screen, LAST is dropped first and then COUNT; then the names
 * get narrower.
 */
export function fitEventColumns(
  columns: number,
  {
    hidden = new Set(),
    sideways = 0,
    wide = false,
    where = BACKEND_COLUMN,
    sourceNames = [],
    window = [],
  }: EventLook = {},
): Omit<TableLayout, 'hasMore'> {
  const wished = wishedWidths(columns, where, sourceNames);
  const isThere = (id: Narrow): boolean => (id === 'where' ? wished.where > 0 : true) && !hidden.has(idOf(id, where));
  const there = NARROW.filter(isThere);
  const available = columns - LEAD_CELLS - STATUS_CELLS - GAP;
  const isOutputShown = !hidden.has('output');
  if (sideways > 0 || wide) {
    const { left, shift } = stepsOf(sideways, there.length + 1);
    const fullWidths = wide ? longestNames(window, wished.where > 0) : {};
    const { widths, output } = fitNarrowColumns(there.slice(left), available, (id) =>
      Math.max(wished[id], FULL_WIDTH_CELLS[id] ?? 0, fullWidths[id] ?? 0),
    );
    const out = there.length - left - widths.size;
    // Names at full width can leave no space for the output.
    const right = out + (isOutputShown && output === 0 ? 1 : 0);
    return { placed: placedColumns(widths, where, isOutputShown ? output : 0), left, right, shift };
  }
  const shown = there.filter((id) => wished[id] > 0);
  const widths = new Map(shown.map((id) => [id, wished[id]]));
  const output = available - shown.reduce((sum, id) => sum + wished[id] + GAP, 0);
  return {
    placed: placedColumns(widths, where, isOutputShown ? output : 0),
    left: 0,
    right: there.length - shown.length,
    shift: 0,
  };
}

function wishedWidths(
  columns: number,
  where: NonNullable<WhereColumn>,
  sourceNames: Iterable<string>,
): Readonly<Record<Narrow, number>> {
  const isWide = columns >= 100;
  const more = Math.max(0, columns - 120);
  const fewer = Math.max(0, 80 - columns);
  const longestSource = Math.max(0, ...Array.from(sourceNames, (name) => name.length));
  const narrow = NARROW_CELLS[where];
  return {
    where: longestSource === 0 ? 0 : Math.min(isWide ? WIDE_CELLS : narrow, Math.max(longestSource, narrow)),
    client: isWide ? 20 + Math.min(20, more >> 2) : 19 - (fewer >> 3),
    check: isWide ? 15 + Math.min(15, more >> 3) : 14 - (fewer >> 2),
    count: isWide ? 5 : fewer > 0 ? 0 : 3,
    age: 4,
    last: isWide ? 4 : 0,
  };
}

/** Returns the widths of as many of these columns as fit, and the remaining width for the output. */
function fitNarrowColumns(
  there: readonly Narrow[],
  available: number,
  widthOf: (id: Narrow) => number,
): { readonly widths: ReadonlyMap<Narrow, number>; readonly output: number } {
  const widths = new Map<Narrow, number>();
  let output = available;
  for (const id of there) {
    const width = Math.min(widthOf(id), available - GAP);
    if (width + GAP > output) break;
    widths.set(id, width);
    output -= width + GAP;
  }
  return { widths, output };
}

function placedColumns(
  widths: ReadonlyMap<Narrow, number>,
  where: NonNullable<WhereColumn>,
  output: number,
): readonly PlacedColumn[] {
  const cells = new Map<string, number>([['status', STATUS_CELLS]]);
  for (const [id, width] of widths) cells.set(idOf(id, where), width);
  cells.set('output', output);
  // The cast is safe, because these columns only draw what `drawn` of the table builds from an event.
  return (EVENT_COLUMNS as unknown as readonly TableColumn<unknown>[]).flatMap((column) => {
    const width = cells.get(column.id) ?? 0;
    return width > 0 ? [{ column, width }] : [];
  });
}

function idOf(id: Narrow, where: NonNullable<WhereColumn>): string {
  return id === 'where' ? where : id;
}

function longestNames(window: readonly EventRecord[], isPlaced: boolean): Readonly<Partial<Record<Narrow, number>>> {
  return {
    client: longest(window.map(({ row }) => (isPlaced ? splitName(row.client).name : row.client))),
    check: longest(window.map(({ row }) => row.check)),
  };
}

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => cellWidth(safeLine(text))));
}
