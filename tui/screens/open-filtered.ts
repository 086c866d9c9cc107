import { applyFilter } from '../list/search-prompt.ts';
import type { ViewName } from '../state/view-names.ts';
import type { Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import { openView } from './open-view.ts';

/** Opens a view and applies a filter; `''` shows all rows. If the view cannot be opened, a message says so. */
export function openFiltered(store: Screen & LiveData & ListOfView, view: ViewName, filter: string): void {
  openView(store, view);
  if (store.state.view === view && view !== 'upgrade') applyFilter(store, filter);
}
