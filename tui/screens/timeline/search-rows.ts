import type { TimelineRow } from '../../../shared/schemas/timeline.ts';
import { addContextToName } from '../../model/backend-names.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import type { LiveData } from '../../model/live-data.ts';
import { PAST_SPANS, PAST_SPAN_MS, timelineId } from '../../model/past-span.ts';
import { NOT_LOADED } from '../../model/view-data.ts';
import { movedPosition } from '../../keys/movement-target.ts';
import type { KeyAction } from '../../state/keys.ts';
import { openLayer, putLayer } from '../../state/layer-stack.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import type { TimelineSearchLayer } from '../../state/layers/loaded.ts';
import { clamp } from '../../state/list-cursor.ts';
import type { Screen } from '../../state/ports.ts';
import { NO_SEARCH } from '../../state/search-field.ts';

/** Returns the index of the row under the cursor. */
export function searchRowIndex({ load: { data }, at }: TimelineSearchLayer): number {
  return Math.max(0, data?.rows.findIndex(({ id }) => id === at) ?? 0);
}

/** Moves the cursor in the results of a timeline search, and scrolls so that it is visible. */
export function moveSearchRow(store: Screen, layer: TimelineSearchLayer, action: KeyAction, height: number): void {
  const rows = layer.load.data?.rows ?? [];
  const to = movedPosition(action, searchRowIndex(layer), { rows: height, last: rows.length - 1 });
  const row = to === undefined ? undefined : rows[to];
  if (to === undefined || row === undefined) return;
  putLayer(store, { ...layer, at: row.id, top: clamp(layer.top, to - height + 1, to) });
}

/**
 * Opens the row under the cursor: the timeline of its check with the outage of that time, or the silence that changed.
 */
export function openSearchRow(store: Screen & Pick<LiveData, 'silenced'>, layer: TimelineSearchLayer): void {
  const row = layer.load.data?.rows[searchRowIndex(layer)];
  if (row === undefined) return store.say('nothing to open here');
  if (row.client !== undefined && row.check !== undefined) return openCheck(store, row, row.client, row.check);
  const silence = nameOf(row, row.silence ?? '');
  if (!store.silenced.has(silence)) return store.say('this silence has ended');
  openLoadedLayer(store, 'silence-entry', silence);
}

function openCheck(store: Screen, row: TimelineRow, client: string, check: string): void {
  const ageMs = store.options.now() - row.at;
  const span = PAST_SPANS.find((one) => PAST_SPAN_MS[one] > ageMs) ?? 'month';
  const id = timelineId(span, eventKey(nameOf(row, client), check));
  // A transition to OK ends its outage, so the outage is selected by a time just before.
  openLayer(store, { kind: 'timeline', id, load: NOT_LOADED, top: 0, search: NO_SEARCH, at: row.at - 1 });
}

/** Returns a name with its namespace if the rows are from all namespaces. */
function nameOf({ namespace }: TimelineRow, name: string): string {
  return namespace === undefined ? name : addContextToName(name, namespace);
}
