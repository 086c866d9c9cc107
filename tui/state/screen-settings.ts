import type { ConsoleState } from './console-state.ts';
import type { ListState } from './list-state.ts';
import { placedPane } from './pane.ts';
import { VIEWS, type ViewName } from './view-names.ts';

/** The screen settings that do not depend on the shown backend. */
export type PortableSettings = Pick<ConsoleState, 'savedViews' | 'commandHistory' | 'themeChanges'> &
  Partial<Pick<ConsoleState, 'readOnly' | 'pane' | 'header' | 'attention' | 'mouse'>>;

/** The screen settings that are kept when the data is replaced, for example when another backend is shown. */
export interface ScreenSettings {
  readonly view: ViewName;
  readonly views: Readonly<
    Partial<Record<ViewName, Pick<ListState, 'filter' | 'sort' | 'fold' | 'hidden' | 'added' | 'wide'>>>
  >;
  readonly common: PortableSettings;
}

/**
 * Returns the screen settings that are also valid for another backend. Marks and cursors are left out, because they
 * refer to rows of this backend.
 */
export function portableSettings(state: ConsoleState): ScreenSettings {
  const { view, savedViews, commandHistory, themeChanges: look, readOnly, header, attention, mouse } = state;
  const pane = placedPane(state.pane.placement);
  const views = Object.fromEntries(
    VIEWS.map(({ name }) => {
      const { filter, sort, fold, hidden, added, wide } = state.views[name];
      return [name, { filter, sort, fold, hidden, added, wide }];
    }),
  );
  return {
    view,
    views,
    common: { savedViews, commandHistory, themeChanges: look, readOnly, pane, header, attention, mouse },
  };
}
