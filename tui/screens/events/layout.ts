import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { ContentWidths } from '../../list/content-widths.ts';
import { GAP_CELLS, LEAD_CELLS, type PlacedColumn } from '../../list/table-columns.ts';
import { stepsOf, type ColumnScroll, type TableLayout } from '../../list/table-layout.ts';
import { BACKEND_COLUMN, NAMESPACE_COLUMN, type WhereColumn } from '../../model/where-column.ts';
import type { FoldedRow } from '../../model/event-folds.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ScreenView } from '../../state/ports.ts';
import { listLayout } from '../../state/screen-layout.ts';
import { cellWidth } from '../../terminal/cells.ts';
import { EVENT_COLUMNS, eventAttributeColumn, outputText, SOURCE_CELLS_MAX, type EventLine } from './columns.ts';
import type { TableColumn } from '../../list/table-column.ts';

/** The columns of the list of events between status and output. The output column gets the remaining width. */
const NARROW_COLUMNS = ['where', 'client', 'check', 'count', 'age', 'last', 'silence', 'escalation'] as const;
type NarrowColumn = (typeof NARROW_COLUMNS)[number];

const STATUS_CELLS = 6;
const SILENCE_CELLS = 8;
const ESCALATION_CELLS = 10;

/** The columns that are only drawn if an event has a text for them. On a narrow screen, they are dropped first. */
const OPTIONAL: ReadonlySet<string> = new Set<NarrowColumn>(['silence', 'escalation']);

/** Minimum width of the output in cells, beside full names or beside the ends of silences. */
const OUTPUT_CELLS_MIN = 24;

/** Minimum width of the output in cells, beside columns of attributes. */
const OUTPUT_WITH_ATTRIBUTES_MIN = 12;

/** Width in cells of the column of backends or namespaces on a narrow screen: just wide enough for its title. */
const NARROW_CELLS = { [BACKEND_COLUMN]: 'BACKEND'.length, [NAMESPACE_COLUMN]: 'NAMESPACE'.length };

/**
 * Width in cells of `count` and `last` after the user scrolled or chose full texts. Otherwise, a narrow screen gives
 * them less space or none.
 */
const FULL_WIDTH_CELLS: ReadonlyMap<string, number> = new Map([
  ['count', 5],
  ['last', 4],
  ['silence', SILENCE_CELLS],
  ['escalation', ESCALATION_CELLS],
]);

/** The columns that name an event. Those of attributes follow them. */
const NAME_COLUMNS: ReadonlySet<NarrowColumn> = new Set(['where', 'client', 'check']);

/** Maximum width of the column of an attribute in cells, unless full texts are shown. */
const ATTRIBUTE_CELLS = 16;
const NARROW_ATTRIBUTE_CELLS = 10;

/** The state of the list of events that decides which columns are drawn. */
export interface EventListState extends Partial<ColumnScroll> {
  /** The column that names the backend or namespace in a merged list; default: the backend. */
  readonly where?: WhereColumn;
  /** The names of the backends or namespaces that the column can contain; default: none. */
  readonly sourceNames?: Iterable<string>;
  /** Widths of the texts of names, attributes, silences and escalations; default: not measured. */
  readonly content?: ContentWidths;
}

/** Returns the drawn columns of the list of events with their widths. */
export function layOutEventTable(
  store: ScreenView & LiveData & { readonly list: ColumnScroll },
  window: readonly FoldedRow[],
  content: ContentWidths,
): TableLayout {
  const { state, list, whereColumn: where } = store;
  const layout = fitEventColumns(listLayout(state).columns, {
    ...list,
    where,
    sourceNames: store.sourceNames(),
    content,
  });
  const isCut = ({ column, width }: PlacedColumn): boolean =>
    column.id === 'output' &&
    window.some((record) => cellWidth(safeLine(outputText({ record }))) > width + layout.shift);
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
  { row: { silenced_by: ids } }: Pick<FoldedRow, 'row'>,
): SilencedRow | undefined {
  for (const id of ids) {
    const entry = silenced.get(id);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/**
 * Returns the columns that fit on the screen. Names are as wide as their texts if the output has enough space. On a
 * narrow screen, LAST is dropped first and then COUNT; then the names get narrower.
 */
export function fitEventColumns(
  columns: number,
  {
    hidden = new Set(),
    added = [],
    sideways = 0,
    wide = false,
    where = BACKEND_COLUMN,
    sourceNames = [],
    content = new Map<string, number>(),
  }: EventListState = {},
): Omit<TableLayout, 'hasMore'> {
  const wished = wishedWidths(columns, { where, sourceNames, content });
  const isUsed = (id: NarrowColumn): boolean => (id === 'where' || OPTIONAL.has(id) ? wished[id] > 0 : true);
  const own = NARROW_COLUMNS.filter((id) => isUsed(id) && !hidden.has(idOf(id, where)));
  const attributes = attributeColumns(added);
  const there: readonly string[] = [
    ...own.filter((id) => NAME_COLUMNS.has(id)),
    ...attributes.map(({ id }) => id),
    ...own.filter((id) => !NAME_COLUMNS.has(id)),
  ];
  const wishes = new Map<string, number>([
    ...Object.entries(wished),
    ...attributes.map((column) => [column.id, attributeWidth(column, content, columns, wide)] as const),
  ]);
  const wishOf = (id: string): number => wishes.get(id) ?? 0;
  const available = columns - LEAD_CELLS - STATUS_CELLS - GAP_CELLS;
  const isOutputShown = !hidden.has('output');
  if (sideways > 0 || wide) {
    const { left, shift } = stepsOf(sideways, there.length + 1);
    const reserved = wide && isOutputShown ? OUTPUT_CELLS_MIN : 0;
    const forNames = available - reserved - wished.where - GAP_CELLS * 3;
    const names = wide ? fitNames(content, { client: forNames >> 1, check: forNames - (forNames >> 1) }) : wished;
    const nameWidths = new Map<string, number>([
      ['client', names.client],
      ['check', names.check],
    ]);
    const { widths, output } = fitNarrowColumns(there.slice(left), { available, reserved }, (id) =>
      Math.max(FULL_WIDTH_CELLS.get(id) ?? 0, nameWidths.get(id) ?? wishOf(id)),
    );
    const out = there.length - left - widths.size;
    // The columns can leave no space for the output.
    const right = out + (isOutputShown && output === 0 ? 1 : 0);
    return { placed: placedColumns(attributes, widths, where, isOutputShown ? output : 0), left, right, shift };
  }
  const outputCells = (ids: readonly string[]): number =>
    available - ids.reduce((sum, id) => sum + wishOf(id) + GAP_CELLS, 0);
  const all = there.filter((id) => wishOf(id) > 0);
  // The detail shows the end of a silence and the escalation too, so these columns are the first to go.
  const shown = outputCells(all) < OUTPUT_CELLS_MIN ? all.filter((id) => !OPTIONAL.has(id)) : [...all];
  // Without any output, a list of events says too little. The last attributes are dropped for it.
  for (const { id } of attributes.toReversed()) {
    if (outputCells(shown) < (isOutputShown ? OUTPUT_WITH_ATTRIBUTES_MIN : 0)) shown.splice(shown.indexOf(id), 1);
  }
  while (outputCells(shown) < 0) shown.pop();
  const widths = new Map(shown.map((id) => [id, wishOf(id)]));
  return {
    placed: placedColumns(attributes, widths, where, isOutputShown ? outputCells(shown) : 0),
    left: 0,
    right: there.length - shown.length,
    shift: 0,
  };
}

function wishedWidths(
  columns: number,
  {
    where,
    sourceNames,
    content,
  }: Required<Pick<EventListState, 'sourceNames' | 'content'>> & { where: keyof typeof NARROW_CELLS },
): Readonly<Record<NarrowColumn, number>> {
  const isWide = columns >= 100;
  const more = Math.max(0, columns - 120);
  const fewer = Math.max(0, 80 - columns);
  const longestSource = Math.max(0, ...Array.from(sourceNames, (name) => name.length));
  const narrow = NARROW_CELLS[where];
  return {
    where: longestSource === 0 ? 0 : Math.min(isWide ? SOURCE_CELLS_MAX : narrow, Math.max(longestSource, narrow)),
    ...fitNames(content, {
      client: isWide ? 20 + Math.min(20, more >> 2) : 19 - (fewer >> 3),
      check: isWide ? 15 + Math.min(15, more >> 3) : Math.max(0, 14 - (fewer >> 2)),
    }),
    count: isWide ? 5 : fewer > 0 ? 0 : 3,
    age: 4,
    last: isWide ? 4 : 0,
    silence: (content.get('silence') ?? 0) > 0 ? SILENCE_CELLS : 0,
    escalation: (content.get('escalation') ?? 0) > 0 ? ESCALATION_CELLS : 0,
  };
}

/**
 * Returns the widths of client and check: as wide as their texts, and together at most as wide as `share`. A name that
 * does not need its share leaves the rest to the other.
 */
function fitNames(
  content: ContentWidths,
  share: Readonly<Record<'client' | 'check', number>>,
): Readonly<Record<'client' | 'check', number>> {
  const needs = (id: 'client' | 'check'): number => {
    const cells = content.get(id);
    // One more cell than the title, for the sign of the sort order.
    return cells === undefined ? share[id] : Math.max(cells, id.length + 1);
  };
  const all = share.client + share.check;
  const client = Math.min(needs('client'), Math.max(share.client, all - needs('check')));
  return { client, check: Math.min(needs('check'), all - client) };
}

/**
 * Returns the widths of as many of these columns as fit, and the remaining width for the output, which gets at least
 * `reserved` cells.
 */
function fitNarrowColumns(
  there: readonly string[],
  { available, reserved }: { readonly available: number; readonly reserved: number },
  widthOf: (id: string) => number,
): { readonly widths: ReadonlyMap<string, number>; readonly output: number } {
  const widths = new Map<string, number>();
  let output = available;
  for (const id of there) {
    const width = Math.min(widthOf(id), available - GAP_CELLS);
    if (width + GAP_CELLS > output - reserved) break;
    widths.set(id, width);
    output -= width + GAP_CELLS;
  }
  return { widths, output };
}

function attributeColumns(ids: readonly string[]): readonly TableColumn<EventLine>[] {
  return ids.flatMap((id) => {
    const column = eventAttributeColumn(id);
    return typeof column === 'string' ? [] : [column];
  });
}

/** Returns the width of the column of an attribute: as wide as its title and its texts, up to a maximum. */
function attributeWidth(
  { id, title, most }: TableColumn<EventLine>,
  content: ContentWidths,
  columns: number,
  wide: boolean,
): number {
  const limit = wide ? most : columns >= 100 ? ATTRIBUTE_CELLS : NARROW_ATTRIBUTE_CELLS;
  return Math.min(limit, Math.max(title.length + 1, content.get(id) ?? 0));
}

function placedColumns(
  attributes: readonly TableColumn<EventLine>[],
  widths: ReadonlyMap<string, number>,
  where: NonNullable<WhereColumn>,
  output: number,
): readonly PlacedColumn[] {
  const cells = new Map<string, number>([['status', STATUS_CELLS]]);
  for (const [id, width] of widths) cells.set(idOf(id, where), width);
  cells.set('output', output);
  const figures = EVENT_COLUMNS.findIndex(({ id }) => id === 'count');
  const all = EVENT_COLUMNS.toSpliced(figures, 0, ...attributes);
  // The cast is safe, because these columns only draw what `drawn` of the table builds from an event.
  return (all as unknown as readonly TableColumn<unknown>[]).flatMap((column) => {
    const width = cells.get(column.id) ?? 0;
    return width > 0 ? [{ column, width }] : [];
  });
}

function idOf(id: string, where: NonNullable<WhereColumn>): string {
  return id === 'where' ? where : id;
}
