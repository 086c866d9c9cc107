import type { KeyAction } from './keys.ts';
import type { ViewName } from './view-names.ts';

type CurrentNames = Readonly<Record<string, string>>;

/** Actions that were renamed before 1.0.0: a map from the old to the current name. */
export const RENAMED_ACTIONS: Readonly<Record<string, KeyAction>> = {
  why: 'explain',
  'silence-again': 'silence-recreate',
  'outage-before': 'outage-previous',
  'outage-after': 'outage-next',
};

/** Columns that were renamed before 1.0.0: for each view, a map from the old to the current id. */
export const RENAMED_COLUMNS: Readonly<Partial<Record<ViewName, CurrentNames>>> = {
  silences: { kept: 'suppressed', left: 'ends' },
  groups: { untold: 'pending', told: 'notified' },
  inhibitions: { quiet: 'inhibited', because: 'inhibitor', when: 'source', quiets: 'target' },
  cluster: { behind: 'lag' },
};

/** Returns the current name of an action or column that was renamed; `undefined` if `name` is not an old name. */
export function currentName(names: CurrentNames | undefined, name: string): string | undefined {
  return names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
}
