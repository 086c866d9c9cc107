import type { ConsoleStore } from '../state/console-store.ts';
import { applyFilter } from './search-prompt.ts';
import { openView } from '../actions/view-keys.ts';
import type { ViewName } from '../state/view-names.ts';

/** Opens a view with a filter; `''`: with all its rows. Where there is no such view yet, that is said. */
export function openFiltered(store: ConsoleStore, view: ViewName, filter: string): void {
  openView(store, view);
  if (store.state.view === view && view !== 'upgrade') applyFilter(store, filter);
}
