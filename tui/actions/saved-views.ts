import { keepFilter } from '../list/search-prompt.ts';
import { columnIds, columnsShown, defaultSort } from '../screens/view-columns.ts';
import { viewTitle } from '../state/view-names.ts';
import type { Screen, ScreenView } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { MenuItem } from '../state/layers/menu.ts';
import { openView } from '../screens/open-view.ts';
import { quickViews, type SavedView } from '../state/saved-view.ts';

/** Returns the current view with its filter, order, fold and columns, in the form in which it is saved. */
export function presentView({ state, list, whereColumn }: ScreenView & LiveData & Pick<ListOfView, 'list'>): SavedView {
  const { view } = state;
  const { filter, sort, fold, hidden, added } = list;
  const isDefault = hidden.size === 0 && added.length === 0;
  const columns = isDefault ? undefined : [...columnIds(view, whereColumn).filter((id) => !hidden.has(id)), ...added];
  return { view, filter: filter.text, sort, columns, ...(fold && { fold }) };
}

/**
 * Opens a saved view with its filter, sort order, fold and columns. Marks and cursor are not saved and stay as they
 * are.
 */
export function applyView(
  store: Screen & LiveData & ListOfView,
  { view, filter, sort, fold, columns }: SavedView,
): void {
  store.update({ layers: [] });
  openView(store, view);
  if (store.state.view !== view) return;
  keepFilter(store, filter);
  store.sortBy(sort ?? { column: defaultSort(view), reversed: false });
  if (view === 'events') store.foldBy(fold);
  store.updateList({ sort, ...columnsShown(view, columns) });
}

/** Returns the menu items for the saved views. */
export function savedViewItems(store: Screen & LiveData & ListOfView): readonly MenuItem[] {
  const { savedViews } = store.state;
  const keys = new Map(quickViews(savedViews).map(({ name, key }) => [name, key]));
  return [...savedViews].map(([name, saved]) => ({
    id: `saved ${name}`,
    key: keys.get(name),
    label: `${name}: ${viewTitle(saved.view).toLowerCase()}${saved.filter === '' ? '' : ` ${saved.filter}`}`,
    choose: () => applyView(store, saved),
  }));
}
