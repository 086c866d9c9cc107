import type { SettingNames } from '../../shared/domain/renamed-settings.ts';
import { RENAMED_ACTIONS, RENAMED_COLUMNS } from '../state/renamed-names.ts';

type CurrentNames = Readonly<Record<string, string>>;

/**
 * The renamed settings of a console configuration, from old to current names. `withCurrentFilters` handles the renamed
 * fields in searches.
 */
export const CONSOLE_SETTING_NAMES: SettingNames = {
  below: {
    contexts: { each: { current: ['trusted-ca-file', 'insecure-skip-tls-verify'] } },
    keys: { renamed: RENAMED_ACTIONS },
    columns: { below: Object.fromEntries(Object.entries(RENAMED_COLUMNS).map(([view, values]) => [view, { values }])) },
    views: { each: ({ view }) => namesOfSavedView(view) },
  },
};

function namesOfSavedView(view: unknown): SettingNames {
  const names: Readonly<Record<string, CurrentNames | undefined>> = RENAMED_COLUMNS;
  const columns = (typeof view === 'string' && Object.hasOwn(names, view) && names[view]) || {};
  const reversed = Object.entries(columns).map(([old, current]) => [`-${old}`, `-${current}`]);
  return { below: { columns: { values: columns }, sort: { values: { ...columns, ...Object.fromEntries(reversed) } } } };
}
