import { EVENT_COLUMN, EVENT_COLUMNS, EVENT_SORTS } from './event-sort.ts';
import { tableOf } from './tables.ts';
import type { ViewName } from './view-names.ts';

/** Ids of the columns of a view, in their order; a page has none. */
export function columnIds(view: ViewName): readonly string[] {
  if (view === 'events') return EVENT_COLUMNS.map(({ id }) => id);
  return tableOf(view)?.columns.map(({ id }) => id) ?? [];
}

/** Ids of the columns that a view can be sorted by. */
export function sortIds(view: ViewName): readonly string[] {
  if (view === 'events') return EVENT_SORTS.map(({ id }) => id);
  return (tableOf(view)?.columns ?? []).filter(({ compare }) => compare !== undefined).map(({ id }) => id);
}

/** Id of the column that a view is sorted by until somebody chooses another. */
export function defaultSort(view: ViewName): string {
  return tableOf(view)?.sort ?? EVENT_COLUMN;
}

/** The columns to hide so that only these are shown. The first one of a view cannot be hidden. */
export function hiddenBut(view: ViewName, shown: readonly string[] | undefined): ReadonlySet<string> {
  if (shown === undefined) return new Set();
  return new Set(
    columnIds(view)
      .slice(1)
      .filter((id) => !shown.includes(id)),
  );
}
