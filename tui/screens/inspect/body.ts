import type { Line } from '../../text/theme.ts';
import { inspectHead, inspectText } from './lines.ts';
import type { InspectLayer } from '../../state/layers/inspect.ts';
import { shownRows } from './list.ts';
import { inspectRows, type InspectRow } from './rows.ts';
import { inspectTableOf, type InspectTable } from './tables.ts';
import { settleCursor } from '../../state/list-cursor.ts';
import type { ListOrder } from '../../model/list-order.ts';
import type { ScreenView, StateAdjuster } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';

/** The content of the inspect screen, and the number of screen rows for it. */
export interface InspectBody {
  /** The summary of the client, check, aggregate or result, above the rows or the text. */
  readonly head: readonly Line[];
  /** The definition of the table of rows; `undefined` if the screen shows text. */
  readonly table: InspectTable | undefined;
  readonly rows: readonly InspectRow[];
  readonly text: readonly Line[];
  /** Number of screen rows that are available for the rows or the text. */
  readonly height: number;
}

/** Number of screen rows for the title, the location, the rule, the status line and the key hints. */
const ROWS_AROUND = 5;

export function inspectBody(store: ScreenView & LiveData, layer: InspectLayer): InspectBody {
  const { data } = layer.load;
  const head = inspectHead(store, layer);
  const table = data === undefined || layer.raw ? undefined : inspectTableOf(data.kind);
  const titles = table === undefined ? 0 : 1;
  return {
    head,
    table,
    rows: table === undefined ? [] : shownRows(layer, store.nowMs / 1000),
    text: table === undefined ? inspectText(store, layer) : [],
    height: Math.max(1, store.state.size.rows - ROWS_AROUND - head.length - titles),
  };
}

/** Returns the rows in the form that functions such as `moveCursor` need. */
export function cursorOrder(rows: readonly InspectRow[]): ListOrder<InspectRow> {
  return {
    length: rows.length,
    indexOf: (key) => rows.findIndex((row) => row.key === key),
    at: (index) => rows[index],
    slice: (start, end) => rows.slice(start, end),
  };
}

/**
 * Updates cursor and marks before a frame. A key then acts on the row that the frame shows under the cursor, even if a
 * response arrives before the key.
 */
export function settleInspect(store: StateAdjuster & ScreenView & LiveData): void {
  const { layers } = store.state;
  const layer = layers.findLast(({ kind }) => kind === 'inspect');
  if (layer?.kind !== 'inspect') return;
  const { table, rows, height } = inspectBody(store, layer);
  if (table === undefined) return;
  const settled = settleCursor(layer.cursor, cursorOrder(rows), height);
  const { key, index, top } = layer.cursor;
  // A dialog over this screen refers to the rows that were marked or under the cursor when it opened. They stay
  // selected even if they are gone.
  const isOnTop = layers.at(-1) === layer;
  const cursor = isOnTop ? settled : { ...settled, key };
  const marks = isOnTop ? existingMarks(layer) : layer.marks;
  if (cursor.key === key && cursor.index === index && cursor.top === top && marks === layer.marks) return;
  // A row that the filter hides still exists.
  const isGone = key !== undefined && cursor.key !== key && inspectRows(layer).every((row) => row.key !== key);
  // If the last marked row disappears, a key acts on the row under the cursor, although the user selected another row.
  const isOther = isGone || (layer.marks.size > 0 && marks.size === 0);
  const shiftedAtMs = isOther ? store.options.now() : layer.shiftedAtMs;
  store.adjustState({ layers: layers.with(layers.indexOf(layer), { ...layer, cursor, marks, shiftedAtMs }) });
}

/** Returns the marks of rows that still exist. Rows that the filter hides keep their marks. */
function existingMarks(layer: InspectLayer): InspectLayer['marks'] {
  const { marks } = layer;
  if (marks.size === 0) return marks;
  const existingKeys = inspectRows(layer).flatMap(({ key }) => (marks.has(key) ? [key] : []));
  return existingKeys.length === marks.size ? marks : new Set(existingKeys);
}
