import { backInHistory, toView, type ViewPosition } from '../state/view-history.ts';
import { tableOf } from './tables.ts';
import { isPage, viewTitle, type ViewName } from '../state/view-names.ts';
import type { Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { WhereColumn } from '../model/where-column.ts';

export function goBack(store: Screen & LiveData & ListOfView): void {
  openPosition(store, backInHistory(store.state));
}

/** Opens a view, with the cursor, filter, sort order and marks that it had when the user left it. */
export function openView(store: Screen & LiveData & ListOfView, view: ViewName): void {
  if (!isViewAvailable(view)) return store.say(`${viewTitle(view)} is not available in this version`);
  openPosition(store, toView(store.state, view));
}

/** Returns whether this version of the console can show the view. */
export function isViewAvailable(view: ViewName): boolean {
  return tableOf(view) !== undefined || isPage(view);
}

/** The views that can show one namespace or all namespaces. A list of several backends can only show events. */
const NAMESPACED_VIEWS: ReadonlySet<ViewName> = new Set([
  'overview',
  'events',
  'silences',
  'aggregates',
  'clients',
  'checks',
  'groups',
  'inhibitions',
  'on-call',
  'cluster',
]);

function isOfSeveral(view: ViewName, where: WhereColumn): boolean {
  if (where === undefined || view === 'events') return true;
  return where === 'namespace' && isOfNamespaces(view);
}

/** Returns whether a view can show all namespaces as one list. */
export function isOfNamespaces(view: ViewName): boolean {
  return NAMESPACED_VIEWS.has(view);
}

export function openPosition(store: Screen & LiveData & ListOfView, { view, history }: ViewPosition): void {
  if (view === store.state.view) return;
  if (!isOfSeveral(view, store.whereColumn)) {
    const [source, command] = store.whereColumn === 'backend' ? ['backend', 'ctx'] : ['namespace', 'ns'];
    return store.say(`${viewTitle(view)} shows only one ${source} at a time: select one with :${command} NAME`);
  }
  store.rows.thaw();
  store.update({ view, history, orderPausedUntilMs: 0 });
  store.window.open(store);
  // The list is updated at once. The next key can come before the next frame, and must act on the cursor of this view.
  store.settleList();
}
