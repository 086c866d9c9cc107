import { ColumnMeasure } from '../../list/content-widths.ts';
import { layOutTable, type TableLayout } from '../../list/table-layout.ts';
import { inspectBody } from './body.ts';
import type { InspectLayer } from '../../state/layers/inspect.ts';
import type { InspectRow } from './rows.ts';
import type { InspectTable } from './tables.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';

/** Maximum number of rows whose texts are measured in each frame, besides the visible rows. */
const MEASURED_ROWS_MAX = 200;

const NO_HIDDEN_COLUMNS: ReadonlySet<string> = new Set();

/** Returns the columns that are drawn on the screen of a client, check or aggregate, with their widths. */
export function layOutInspectTable(
  store: ScreenView & LiveData,
  layer: InspectLayer,
  table: InspectTable,
  rows: readonly InspectRow[],
): TableLayout {
  const { top } = layer.cursor;
  const { height } = inspectBody(store, layer);
  const { nowMs } = store;
  // The first rows are measured in addition to the visible ones, so that columns rarely move while the user scrolls.
  const measured = [...rows.slice(0, MEASURED_ROWS_MAX), ...rows.slice(top, top + height)];
  return layOutTable(
    table,
    { hidden: NO_HIDDEN_COLUMNS, sideways: layer.sideways, wide: layer.wide },
    {
      columns: store.state.size.columns,
      nowMs,
      rows: rows.slice(top, top + height),
      content: new ColumnMeasure().measure('', table.columns, measured, nowMs),
    },
  );
}
