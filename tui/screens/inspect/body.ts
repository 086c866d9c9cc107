import type { Line } from '../../text/theme.ts';
import { inspectHead, inspectText } from './lines.ts';
import type { InspectLayer } from '../../state/layers/inspect.ts';
import { shownRows } from './list.ts';
import { inspectRows, type InspectRow } from './rows.ts';
import { inspectTableOf, type InspectTable } from './tables.ts';
import { settleCursor } from '../../state/list-cursor.ts';
import type { ListOrder } from '../../model/list-order.ts';
import type { Opened, Settles, Shown } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';

/** What the screen of a subject shows, and how many rows of the screen each part takes. */
export interface InspectBody {
  /** Rows of the screen that the head takes. */
  readonly head: readonly Line[];
  /** Its rows; `undefined`: it is text. */
  readonly table: InspectTable | undefined;
  readonly rows: readonly InspectRow[];
  readonly text: readonly Line[];
  /** Rows of the screen for the rows or the text. */
  readonly height: number;
}

/** Title, place, rule, status and hints. */
const ROWS_AROUND = 5;

export function inspectBody(store: Shown & Known, layer: InspectLayer): InspectBody {
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

/** The rows as a cursor sees them. */
export function orderOf(rows: readonly InspectRow[]): ListOrder<InspectRow> {
  return {
    length: rows.length,
    indexOf: (key) => rows.findIndex((row) => row.key === key),
    at: (index) => rows[index],
    slice: (start, end) => rows.slice(start, end),
  };
}

/** Puts the cursor where it is drawn: a key acts on what was under it then, whatever is loaded since. */
export function settleInspect(store: Settles & Opened & Known): void {
  const { layers } = store.state;
  const layer = layers.findLast(({ kind }) => kind === 'inspect');
  if (layer?.kind !== 'inspect') return;
  const { table, rows, height } = inspectBody(store, layer);
  if (table === undefined) return;
  const settled = settleCursor(layer.cursor, orderOf(rows), height);
  const { key, index, top } = layer.cursor;
  // What is asked over it is about the rows that were marked or under the cursor before, also when they are gone.
  const isOnTop = layers.at(-1) === layer;
  const cursor = isOnTop ? settled : { ...settled, key };
  const marks = isOnTop ? livingMarks(layer) : layer.marks;
  if (cursor.key === key && cursor.index === index && cursor.top === top && marks === layer.marks) return;
  // What one's own filter hides is still there.
  const isGone = key !== undefined && cursor.key !== key && inspectRows(layer).every((row) => row.key !== key);
  // Without the last mark a key is about the row under the cursor, which is not what was meant just now.
  const isOther = isGone || (layer.marks.size > 0 && marks.size === 0);
  const shiftedAtMs = isOther ? store.options.now() : layer.shiftedAtMs;
  store.settle({ layers: layers.with(layers.indexOf(layer), { ...layer, cursor, marks, shiftedAtMs }) });
}

/** Marks of rows that are gone go, too; what the filter hides is still there. */
function livingMarks(layer: InspectLayer): InspectLayer['marks'] {
  const { marks } = layer;
  if (marks.size === 0) return marks;
  const living = inspectRows(layer).flatMap(({ key }) => (marks.has(key) ? [key] : []));
  return living.length === marks.size ? marks : new Set(living);
}
