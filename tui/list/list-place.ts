import { eventColumns, outputText, type EventColumns } from '../screens/events/columns.ts';
import { placeTable, type Beside, type TablePlace } from './table-place.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { SilencedRow } from '../../shared/schemas/feed.ts';
import { cellWidth } from '../terminal/cells.ts';
import { splitName } from '../model/backend-names.ts';
import type { EventRecord } from '../model/event-record.ts';
import { listRows } from '../state/screen-layout.ts';
import type { TableRows } from './table-rows.ts';
import type { Shown } from '../state/ports.ts';
import type { Known, Places } from '../model/known.ts';
import type { ListOfView } from './list-of-view.ts';

/** Where the columns of the list of events are drawn. */
export interface EventPlace extends Beside {
  readonly layout: EventColumns;
}

/** Where the columns of the shown list are drawn: the events, unless there is a table. */
export function listPlace(store: Shown & Known & Places & ListOfView): EventPlace | TablePlace {
  return store.table === undefined ? eventPlace(store) : tablePlace(store, store.table);
}

export function tablePlace(
  { state, list, nowMs }: Shown & Pick<Known, 'nowMs'> & Pick<ListOfView, 'list'>,
  rows: TableRows,
): TablePlace {
  const { top } = list.cursor;
  const window = rows.order.slice(top, top + listRows(state));
  return placeTable(rows.table, list, { columns: state.size.columns, window, nowMs });
}

export function eventPlace(store: Shown & Known & Places & Pick<ListOfView, 'list'>): EventPlace {
  const { state, list, events, whereColumn, nowMs } = store;
  const { top } = list.cursor;
  const window = events.order.slice(top, top + listRows(state));
  const whole = list.wide ? longestNames(window, whereColumn !== undefined) : undefined;
  const look = { sideways: list.sideways, whole, where: whereColumn };
  const layout = eventColumns(state.size.columns, list.hidden, store.places(), look);
  const { left, right, shift } = layout;
  const isCut = (): boolean =>
    window.some(
      (record) => cellWidth(outputText(record, silenceOf(store.silenced, record), nowMs)) > layout.output + shift,
    );
  return {
    layout,
    left,
    right,
    shift,
    get hasMore() {
      return right > 0 || (layout.isOutputShown && isCut());
    },
  };
}

/** The first of the silences on an event that is known. */
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

function longestNames(
  window: readonly EventRecord[],
  isMerged: boolean,
): { readonly client: number; readonly check: number } {
  return {
    client: longest(window.map(({ row }) => (isMerged ? splitName(row.client).name : row.client))),
    check: longest(window.map(({ row }) => row.check)),
  };
}

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => cellWidth(safeLine(text))));
}
