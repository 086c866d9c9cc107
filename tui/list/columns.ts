import { EVENT_COLUMN, EVENT_COLUMNS, EVENT_SORTS, isColumnThere, type WhereColumn } from '../model/event-sort.ts';
import { tableOf } from './tables.ts';
import type { ViewName } from '../state/view-names.ts';

/** Ids of the columns of a view, in their order; a page has none. Only a list of several places names them. */
export function columnIds(view: ViewName, where: WhereColumn | 'any'): readonly string[] {
  if (view === 'events') return idsOf(EVENT_COLUMNS, where);
  return tableOf(view)?.columns.map(({ id }) => id) ?? [];
}

/** Ids of the columns that a view can be sorted by. */
export function sortIds(view: ViewName, where: WhereColumn | 'any'): readonly string[] {
  if (view === 'events') return idsOf(EVENT_SORTS, where);
  return (tableOf(view)?.columns ?? []).filter(({ compare }) => compare !== undefined).map(({ id }) => id);
}

/** Id of the column that a view is sorted by until somebody chooses another. */
export function defaultSort(view: ViewName): string {
  return tableOf(view)?.sort ?? EVENT_COLUMN;
}

/**
 * The columns to hide so that only these are shown. The first one of a view cannot be hidden.
 *
 * @param where default none: that of the places stays
 */
export function hiddenBut(
  view: ViewName,
  shown: readonly string[] | undefined,
  where?: WhereColumn,
): ReadonlySet<string> {
  if (shown === undefined) return new Set();
  return new Set(
    columnIds(view, where)
      .slice(1)
      .filter((id) => !shown.includes(id)),
  );
}

function idsOf(columns: readonly { readonly id: string }[], where: WhereColumn | 'any'): readonly string[] {
  return columns.map(({ id }) => id).filter((id) => isColumnThere(id, where));
}
