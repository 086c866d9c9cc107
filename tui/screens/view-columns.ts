import { tableOf } from './tables.ts';
import type { ViewName } from '../state/view-names.ts';
import { hasColumn, type WhereColumn } from '../model/where-column.ts';
import { columnOf } from '../list/list-table.ts';
import { isSortable } from '../list/table-column.ts';
import { unknownNameText } from '../words/unknown-name.ts';
import type { ListState } from '../state/list-state.ts';

/** A column of a list that the user can show, hide or sort by. */
export interface ColumnChoice {
  readonly id: string;
  readonly title: string;
}

const NO_IDS: readonly string[] = [];

/**
 * Returns the columns of a view, in their order; empty for a page. The column of backends or namespaces is only
 * included if `where` names it or is `any`.
 */
export function columnsOf(view: ViewName, where: WhereColumn | 'any'): readonly ColumnChoice[] {
  return (tableOf(view)?.columns ?? []).filter(({ id }) => hasColumn(id, where));
}

/**
 * Returns the columns that a view can be sorted by.
 *
 * @param added ids of columns of attributes
 */
export function sortsOf(
  view: ViewName,
  where: WhereColumn | 'any',
  added: readonly string[] = NO_IDS,
): readonly ColumnChoice[] {
  const table = tableOf(view);
  if (table === undefined) return [];
  return [
    ...table.columns.filter((column) => isSortable(column) && hasColumn(column.id, where)),
    ...added.flatMap((id) => columnOf(table, id) ?? []),
  ];
}

export function columnIds(view: ViewName, where: WhereColumn | 'any'): readonly string[] {
  return columnsOf(view, where).map(({ id }) => id);
}

export function sortIds(view: ViewName, where: WhereColumn | 'any'): readonly string[] {
  return sortsOf(view, where).map(({ id }) => id);
}

/** Returns an error message if a view has no column with this id, not even that of an attribute. */
export function columnProblem(view: ViewName, id: string, validIds: readonly string[]): string | undefined {
  if (validIds.includes(id)) return undefined;
  const attribute = tableOf(view)?.attributes?.column(id);
  if (typeof attribute === 'object') return undefined;
  // A name with a dot is meant as an attribute.
  return attribute !== undefined && id.includes('.') ? attribute : unknownNameText('column', id, validIds);
}

/** Returns the id of the default sort column of a view; `''` if the view is not a list. */
export function defaultSort(view: ViewName): string {
  return tableOf(view)?.sort ?? '';
}

/**
 * Returns the state of a list in which only the columns `shown` are visible. The first column cannot be hidden. If
 * `shown` is `undefined`, all columns are visible, and none of attributes.
 *
 * @param where the column of backends or namespaces, if the list has one and it can be hidden
 */
export function columnsShown(
  view: ViewName,
  shown: readonly string[] | undefined,
  where?: WhereColumn,
): Pick<ListState, 'hidden' | 'added'> {
  if (shown === undefined) return { hidden: new Set(), added: [] };
  const own = columnIds(view, 'any');
  const hidden = columnIds(view, where)
    .slice(1)
    .filter((id) => !shown.includes(id));
  const table = tableOf(view);
  const added = shown.flatMap((id) => (own.includes(id) || table === undefined ? [] : (columnOf(table, id)?.id ?? [])));
  return { hidden: new Set(hidden), added: [...new Set(added)] };
}
