import { isViewAvailable, openView } from '../screens/open-view.ts';
import type { RowsOnTop } from './rows-on-top.ts';
import { openMenu } from '../form/menu.ts';
import { savedViewItems } from './saved-views.ts';
import { columnsOf } from '../screens/view-columns.ts';
import { VIEWS, viewTitle } from '../state/view-names.ts';
import type { LiveData } from '../model/live-data.ts';
import type { Screen } from '../state/ports.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { MenuItem } from '../state/layers/menu.ts';

export function openSortMenu(
  { sort, sortableColumns: sorts, sortTitle, defaultOrderName: unsorted, sortBy }: RowsOnTop,
  store: Screen,
): void {
  const none = unsorted === undefined ? [] : [{ id: '', label: unsorted, choose: () => sortBy(undefined) }];
  const items = (): readonly MenuItem[] => [
    ...none,
    ...sorts.map(({ id, title }) => ({ id, label: title, choose: () => sortBy({ column: id, reversed: false }) })),
  ];
  openMenu(store, { title: sortTitle, items }, sort?.column ?? '');
}

export function openColumnsMenu(store: Screen & LiveData & ListOfView): void {
  // The first column names the row and cannot be hidden, because the other columns have no meaning without it.
  const columns = columnsOf(store.state.view, store.whereColumn).slice(1);
  // The attributes are read once, so that an item keeps its place while the menu is open.
  const attributes = new Set([...store.list.added, ...(store.table?.attributes?.ids(store) ?? [])]);
  const items = (): readonly MenuItem[] => [
    ...columns.map(({ id, title }) => ({
      id,
      label: title,
      ticked: !store.list.hidden.has(id),
      choose: () => toggleColumn(store, id),
    })),
    ...[...attributes].map((id) => ({
      id,
      label: id,
      ticked: store.list.added.includes(id),
      choose: () => toggleAttribute(store, id),
    })),
  ];
  openMenu(store, { title: `Columns of ${viewTitle(store.state.view).toLowerCase()}`, items });
}

export function openViewMenu(store: Screen & LiveData & ListOfView): void {
  const items = (): readonly MenuItem[] => [
    ...VIEWS.map(({ number, name, title }) => ({
      id: name,
      label: title,
      key: number === undefined ? undefined : String(number),
      disabled: isViewAvailable(name) ? undefined : 'not available in this version',
      choose: () => openView(store, name),
    })),
    ...savedViewItems(store),
  ];
  openMenu(store, { title: 'Views', items }, store.state.view);
}

function toggleAttribute(store: ListOfView, id: string): void {
  const { added } = store.list;
  store.updateList({ added: added.includes(id) ? added.filter((other) => other !== id) : [...added, id] });
}

function toggleColumn(store: ListOfView, id: string): void {
  const hidden = new Set(store.list.hidden);
  if (!hidden.delete(id)) hidden.add(id);
  store.updateList({ hidden });
}
