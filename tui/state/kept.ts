import type { ConsoleState } from './console-state.ts';
import { applyFilter } from '../list/search-prompt.ts';
import { INITIAL_LIST, type ListState } from './list-state.ts';
import { VIEWS, type ViewName } from './view-names.ts';
import type { Screen, Shown } from './ports.ts';
import type { Known } from '../model/known.ts';
import type { ListOfView } from '../list/list-of-view.ts';

/** What is set whichever backend is shown. */
export type Common = Pick<ConsoleState, 'savedViews' | 'commandHistory' | 'look'> &
  Partial<Pick<ConsoleState, 'readOnly' | 'pane' | 'header' | 'attention' | 'mouse'>>;

/** What is set on the screen and outlives the data under it, as when another backend is shown. */
export interface Kept {
  readonly view: ViewName;
  readonly views: Readonly<Partial<Record<ViewName, Pick<ListState, 'filter' | 'sort' | 'hidden' | 'wide'>>>>;
  readonly common: Common;
}

/** Without marks and cursors: they are about rows of this backend. */
export function keptOf({ state }: Shown): Kept {
  const { view, savedViews, commandHistory, look, readOnly, pane, header, attention, mouse } = state;
  const views = Object.fromEntries(
    VIEWS.map(({ name }) => {
      const { filter, sort, hidden, wide } = state.views[name];
      return [name, { filter, sort, hidden, wide }];
    }),
  );
  return { view, views, common: { savedViews, commandHistory, look, readOnly, pane, header, attention, mouse } };
}

/** Sets a new store as another one was. */
export function restoreKept(store: Screen & Pick<Known, 'events'> & ListOfView, { view, views, common }: Kept): void {
  store.update(common);
  for (const { name } of VIEWS) {
    const kept = views[name];
    if (kept === undefined) continue;
    store.update({ view: name, views: { ...store.state.views, [name]: { ...INITIAL_LIST, ...kept } } });
    if (kept.filter.text !== '') applyFilter(store, kept.filter.text);
    if (kept.sort !== undefined) store.sortBy(kept.sort);
  }
  store.update({ view });
}
