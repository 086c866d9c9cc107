import { tableOf } from './tables.ts';
import type { ViewName } from '../state/view-names.ts';
import { isColumnThere, type WhereColumn } from '../model/where-column.ts';
import { isSortable } from '../list/table-column.ts';

/** A column of a list as people choose it. */
export interface ColumnChoice {
  readonly id: string;
  readonly title: string;
}

/** The columns of a view, in their order; a page has none. Only a list of several places names them. */
export function columnsOf(view: ViewName, where: WhereColumn | 'any'): readonly ColumnChoice[] {
  return (tableOf(view)?.columns ?? []).filter(({ id }) => isColumnThere(id, where));
}

/** The columns that a view can be sorted by. */
export function sortsOf(view: ViewName, where: WhereColumn | 'any'): readonly ColumnChoice[] {
  return (tableOf(view)?.columns ?? []).filter((column) => isSortable(column) && isColumnThere(column.id, where));
}

export function columnIds(view: ViewName, where: WhereColumn | 'any'): readonly string[] {
  return columnsOf(view, where).map(({ id }) => id);
}

export function sortIds(view: ViewName, where: WhereColumn | 'any'): readonly string[] {
  return sortsOf(view, where).map(({ id }) => id);
}

/** Id of the column that a view is sorted by until somebody chooses another; `''`: it is no list. */
export function defaultSort(view: ViewName): string {
  return tableOf(view)?.sort ?? '';
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
