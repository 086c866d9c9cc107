import { openMenu } from '../form/menu.ts';
import { savedViewItems } from './saved-views.ts';
import { columnsOf, sortsOf, type ColumnChoice } from '../screens/view-columns.ts';
import { VIEWS, viewTitle } from '../state/view-names.ts';
import type { Places, Known } from '../model/known.ts';
import type { Screen, Says, Shown } from '../state/ports.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { MenuItem } from '../state/layers/menu.ts';
import { isThere, openView } from '../screens/open-view.ts';

export function openSortMenu(store: Screen & Places & ListOfView): void {
  const items = (): readonly MenuItem[] =>
    sortChoices(store).map(({ id, title }) => ({ id, label: title, choose: () => sortByColumn(store, id) }));
  openMenu(store, { title: `Sort ${titleOf(store)} by`, items }, store.sort.column);
}

export function reverseSort(store: ListOfView): void {
  store.sortBy({ ...store.sort, reversed: !store.sort.reversed });
}

/** To the column beside the one that sorts, and past the last one to the first. */
export function moveSort(store: Shown & Places & ListOfView, by: 1 | -1): void {
  const choices = sortChoices(store);
  const at = choices.findIndex(({ id }) => id === store.sort.column);
  const next = choices.at((at + by) % choices.length);
  if (next !== undefined) sortByColumn(store, next.id);
}

export function openColumnsMenu(store: Screen & Places & ListOfView): void {
  // The first column names the row: without it nobody knows what the others are about.
  const columns = columnsOf(store.state.view, store.whereColumn).slice(1);
  const items = (): readonly MenuItem[] =>
    columns.map(({ id, title }) => ({
      id,
      label: title,
      ticked: !store.list.hidden.has(id),
      choose: () => toggleColumn(store, id),
    }));
  openMenu(store, { title: `Columns of ${titleOf(store)}`, items });
}

export function openViewMenu(store: Screen & Says & Pick<Known, 'events'> & Places & ListOfView): void {
  const items = (): readonly MenuItem[] => [
    ...VIEWS.map(({ number, name, title }) => ({
      id: name,
      label: title,
      key: number === undefined ? undefined : String(number),
      disabled: isThere(name) ? undefined : 'not part of this version',
      choose: () => openView(store, name),
    })),
    ...savedViewItems(store),
  ];
  openMenu(store, { title: 'Views', items }, store.state.view);
}

function sortChoices({ state, whereColumn }: Shown & Places): readonly ColumnChoice[] {
  return sortsOf(state.view, whereColumn);
}

function sortByColumn(store: Pick<ListOfView, 'sortBy'>, column: string): void {
  store.sortBy({ column, reversed: false });
}

function toggleColumn(store: ListOfView, id: string): void {
  const hidden = new Set(store.list.hidden);
  if (!hidden.delete(id)) hidden.add(id);
  store.updateList({ hidden });
}

function titleOf({ state }: Shown): string {
  return viewTitle(state.view).toLowerCase();
}
