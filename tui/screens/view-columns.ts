import { tableOf } from './tables.ts';
import type { ViewName } from '../state/view-names.ts';
import { hasColumn, type WhereColumn } from '../model/where-column.ts';
import { isSortable } from '../list/table-column.ts';

/** A column of a list that the user can show, hide or sort by. */
export interface ColumnChoice {
  readonly id: string;
  readonly title: string;
}

/**
 * Returns the columns of a view, in their order; empty for a page. The column of backends or namespaces is only
 * included if `where` names it or is `any`.
 */
export function columnsOf(view: ViewName, where: WhereColumn | 'any'): readonly ColumnChoice[] {
  return (tableOf(view)?.columns ?? []).filter(({ id }) => hasColumn(id, where));
}

/** Returns the columns that a view can be sorted by. */
export function sortsOf(view: ViewName, where: WhereColumn | 'any'): readonly ColumnChoice[] {
  return (tableOf(view)?.columns ?? []).filter((column) => isSortable(column) && hasColumn(column.id, where));
}

export function columnIds(view: ViewName, where: WhereColumn | 'any'): readonly string[] {
  return columnsOf(view, where).map(({ id }) => id);
}

export function sortIds(view: ViewName, where: WhereColumn | 'any'): readonly string[] {
  return sortsOf(view, where).map(({ id }) => id);
}

/** Returns the id of the default sort column of a view; `''` if the view is not a list. */
export function defaultSort(view: ViewName): string {
  return tableOf(view)?.sort ?? '';
}

/**
 * Returns the ids of the columns to hide so that only `shown` remain. The first column cannot be hidden. If `shown` is
 * `undefined`, no column is hidden.
 *
 * @param where the column of backends or namespaces, if the list has one and it can be hidden
 */
export function hiddenColumnsExcept(
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
