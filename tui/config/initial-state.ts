import type { ScreenSettings } from '../state/screen-settings.ts';
import { INITIAL_LIST } from '../state/list-state.ts';
import { columnsShown } from '../screens/view-columns.ts';
import type { ViewName } from '../state/view-names.ts';
import type { ConsoleConfig } from './console-config.ts';

/** Returns the screen settings with which the console starts: the columns and saved views of the configuration. */
export function settingsOfConfig({ columns, views: savedViews }: ConsoleConfig): ScreenSettings {
  const { filter, sort } = INITIAL_LIST;
  const views = Object.fromEntries(
    Object.entries(columns).map(([view, shown]) => [view, { filter, sort, ...columnsShown(view as ViewName, shown) }]),
  );
  return { view: 'events', views, common: { savedViews, commandHistory: [], themeChanges: {} } };
}
