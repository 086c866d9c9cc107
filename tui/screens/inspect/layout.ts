import { layOutTable, type TableLayout } from '../../list/table-layout.ts';
import { inspectBody } from './body.ts';
import type { InspectLayer } from '../../state/layers/inspect.ts';
import type { InspectRow } from './rows.ts';
import type { InspectTable } from './tables.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';

const NONE: ReadonlySet<string> = new Set();

/** Returns the columns that are drawn on the screen of a client, check or aggregate, with their widths. */
export function layOutInspectTable(
  store: ScreenView & LiveData,
  layer: InspectLayer,
  table: InspectTable,
  rows: readonly InspectRow[],
): TableLayout {
  const { top } = layer.cursor;
  const { height } = inspectBody(store, layer);
  return layOutTable(
    table,
    { hidden: NONE, sideways: layer.sideways, wide: layer.wide },
    {
      columns: store.state.size.columns,
      nowMs: store.nowMs,
      window: rows.slice(top, top + height).map((row) => ({ key: row.key, row, isRemoved: false })),
    },
  );
}
