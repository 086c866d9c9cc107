import { withCurrentFields } from '../../shared/domain/renamed-fields.ts';
import { filterProblem } from '../screens/filter-problem.ts';
import { currentName, RENAMED_ACTIONS, RENAMED_COLUMNS } from '../state/renamed-names.ts';
import { VIEWS, type ViewName } from '../state/view-names.ts';
import type { ConfigProblem } from './read-keys.ts';

type Settings = Readonly<Record<string, unknown>>;

/** A configuration with current names, with a warning for each old name and a problem for each conflict. */
export interface CurrentConfig {
  readonly config: unknown;
  readonly warnings: readonly ConfigProblem[];
  readonly problems: readonly ConfigProblem[];
}

/**
 * Replaces the old names of actions, columns and fields of searches.
 *
 * @param given the content of a configuration file; parts of an unexpected shape stay as they are
 */
export function withCurrentNames(given: unknown): CurrentConfig {
  if (!isSettings(given)) return { config: given, warnings: [], problems: [] };
  const renaming = new Renaming();
  const { keys, columns, views } = given;
  const config = {
    ...given,
    ...(isSettings(keys) && { keys: renaming.keys(keys) }),
    ...(isSettings(columns) && { columns: renaming.columnsByView(columns) }),
    ...(isSettings(views) && { views: renaming.views(views) }),
  };
  return { config, warnings: renaming.warnings, problems: renaming.problems };
}

class Renaming {
  readonly warnings: ConfigProblem[] = [];
  readonly problems: ConfigProblem[] = [];

  keys(keys: Settings): Settings {
    const renamed = Object.entries(keys).flatMap(([name, chords]): (readonly [string, unknown])[] => {
      const current = currentName(RENAMED_ACTIONS, name);
      if (current === undefined) return [[name, chords]];
      const path = ['keys', name];
      if (Object.hasOwn(keys, current)) {
        this.problems.push({ path, message: `is an old name of ${current}, which is set too: remove one` });
        return [];
      }
      this.warnings.push({ path, message: `is an old name: use ${current}` });
      return [[current, chords]];
    });
    return Object.fromEntries(renamed);
  }

  columnsByView(columns: Settings): Settings {
    return mapped(columns, (view, ids) => this.#columns(view, ids, ['columns', view]));
  }

  views(views: Settings): Settings {
    return mapped(views, (name, view) => (isSettings(view) ? this.#view(view, ['views', name]) : view));
  }

  #view(saved: Settings, path: readonly string[]): Settings {
    const { view, columns, sort, filter } = saved;
    if (!isView(view)) return saved;
    return {
      ...saved,
      ...(columns !== undefined && { columns: this.#columns(view, columns, [...path, 'columns']) }),
      ...(typeof sort === 'string' && { sort: this.#sort(view, sort, [...path, 'sort']) }),
      ...(typeof filter === 'string' && { filter: this.#filter(view, filter, [...path, 'filter']) }),
    };
  }

  #columns(view: string, ids: unknown, path: readonly string[]): unknown {
    if (!isView(view) || !Array.isArray(ids)) return ids;
    return ids.map((id: unknown) => (typeof id === 'string' ? this.#column(view, id, path) : id));
  }

  #sort(view: ViewName, sort: string, path: readonly string[]): string {
    return sort.startsWith('-') ? `-${this.#column(view, sort.slice(1), path)}` : this.#column(view, sort, path);
  }

  #column(view: ViewName, id: string, path: readonly string[]): string {
    const current = currentName(RENAMED_COLUMNS[view], id);
    if (current !== undefined) this.warnings.push({ path, message: `${id} is an old name: use ${current}` });
    return current ?? id;
  }

  #filter(view: ViewName, filter: string, path: readonly string[]): string {
    const { text, warnings } = withCurrentFields(filter, (search) => filterProblem(view, search));
    this.warnings.push(...warnings.map((message) => ({ path, message })));
    return text;
  }
}

function mapped(settings: Settings, change: (name: string, value: unknown) => unknown): Settings {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, change(name, value)]));
}

function isSettings(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isView(name: unknown): name is ViewName {
  return VIEWS.some((view) => view.name === name);
}
