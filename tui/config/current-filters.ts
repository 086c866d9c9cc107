import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import { withCurrentFields } from '../../shared/domain/renamed-fields.ts';
import type { RenameRemark } from '../../shared/domain/renamed-settings.ts';
import { filterProblem } from '../screens/filter-problem.ts';
import { VIEWS } from '../state/view-names.ts';

/**
 * Replaces old names of search fields in the filters of saved views by the current names, with a warning for each.
 *
 * @param settings the content of a configuration file; settings of an unexpected type are returned unchanged
 */
export function withCurrentFilters(settings: Settings): {
  readonly settings: Settings;
  readonly warnings: readonly RenameRemark[];
} {
  const warnings: RenameRemark[] = [];
  if (!isSettings(settings['views'])) return { settings, warnings };
  const views = Object.entries(settings['views']).map(([name, saved]) => {
    const view = isSettings(saved) ? VIEWS.find((one) => one.name === saved['view']) : undefined;
    if (!isSettings(saved) || view === undefined || typeof saved['filter'] !== 'string') return [name, saved];
    const current = withCurrentFields(saved['filter'], (search) => filterProblem(view.name, search));
    warnings.push(...current.warnings.map((message) => ({ path: ['views', name, 'filter'], message })));
    return [name, { ...saved, filter: current.text }];
  });
  return { settings: { ...settings, views: Object.fromEntries(views) }, warnings };
}
