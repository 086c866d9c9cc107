import { BACKEND_COLUMN, EVENT_COLUMN, EVENT_COLUMNS, EVENT_SORTS } from '../screens/events/sort.ts';
import { tableOf } from './tables.ts';
import type { ViewName } from '../state/view-names.ts';

/** Ids of the columns of a view, in their order; a page has none. Only a merged list names its backends. */
export function columnIds(view: ViewName, isMerged: boolean): readonly string[] {
  if (view === 'events') return idsOf(EVENT_COLUMNS, isMerged);
  return tableOf(view)?.columns.map(({ id }) => id) ?? [];
}

/** Ids of the columns that a view can be sorted by. */
export function sortIds(view: ViewName, isMerged: boolean): readonly string[] {
  if (view === 'events') return idsOf(EVENT_SORTS, isMerged);
  return (tableOf(view)?.columns ?? []).filter(({ compare }) => compare !== undefined).map(({ id }) => id);
}

/** Id of the column that a view is sorted by until somebody chooses another. */
export function defaultSort(view: ViewName): string {
  return tableOf(view)?.sort ?? EVENT_COLUMN;
}

/**
 * The columns to hide so that only these are shown. The first one of a view cannot be hidden.
 *
 * @param isMerged default false: that of the backends stays
 */
export function hiddenBut(view: ViewName, shown: readonly string[] | undefined, isMerged = false): ReadonlySet<string> {
  if (shown === undefined) return new Set();
  return new Set(
    columnIds(view, isMerged)
      .slice(1)
      .filter((id) => !shown.includes(id)),
  );
}

function idsOf(columns: readonly { readonly id: string }[], isMerged: boolean): readonly string[] {
  return columns.map(({ id }) => id).filter((id) => isMerged || id !== BACKEND_COLUMN);
}
