import { isSettings, type Settings } from './merge-settings.ts';

/** The current and the old names of settings at one level of a configuration. */
export interface SettingNames {
  /** The current names. The underscore form of each (`log_level`) is accepted too. */
  readonly current?: Iterable<string>;
  /** Current name by old name. The underscore form of an old name is accepted too. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Removed settings: a text about the constant used instead (`the limit is 1,000 keys`), by name of the setting. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Current value by old value, if the value of the setting is a name or a list of names. */
  readonly values?: Readonly<Record<string, string>>;
  /** Names of the settings within a setting, by the current name of the outer setting. */
  readonly below?: Readonly<Record<string, SettingNames>>;
  /** Names of the settings within each object whose name the user chose, such as a rule or a view. */
  readonly each?: SettingNames | ((settings: Settings) => SettingNames);
}

/** A warning or problem about a setting. `path` is its path as written in the configuration. */
export interface RenameRemark {
  readonly path: readonly string[];
  readonly message: string;
}

export interface RenamedSettings {
  /** The settings under their current names, in the order of the file. */
  readonly settings: Settings;
  readonly warnings: readonly RenameRemark[];
  readonly problems: readonly RenameRemark[];
}

/**
 * Rewrites the settings of one source (a file, the environment, the command line) to their current names. Call it
 * before the sources are merged: then a later source overrides an earlier one, even if one uses an old name.
 */
export function renameSettings(settings: Settings, names: SettingNames): RenamedSettings {
  const warnings: RenameRemark[] = [];
  const problems: RenameRemark[] = [];
  return { settings: renameLevel(settings, names, [], { warnings, problems }), warnings, problems };
}

interface RenameRemarks {
  readonly warnings: RenameRemark[];
  readonly problems: RenameRemark[];
}

function renameLevel(
  settings: Settings,
  names: SettingNames,
  path: readonly string[],
  remarks: RenameRemarks,
): Settings {
  const currentNames = currentByOld(names);
  const renamed = new Map<string, unknown>();
  for (const [written, value] of Object.entries(settings)) {
    const settingPath = [...path, written];
    const limit = fixedLimit(names, written);
    if (limit !== undefined) {
      remarks.warnings.push({ path: settingPath, message: `no longer has an effect: ${limit}; remove this setting` });
      continue;
    }
    const current = currentNames.get(written) ?? written;
    if (current !== written) {
      if (Object.hasOwn(settings, current) || renamed.has(current)) {
        remarks.problems.push({
          path: settingPath,
          message: `is the old name of ${current}, and both are set: remove one of them`,
        });
        continue;
      }
      remarks.warnings.push({ path: settingPath, message: `is an old name: use ${current}` });
    }
    const below = nestedNames(names, current, value);
    renamed.set(current, below === undefined ? value : renameValue(value, below, settingPath, remarks));
  }
  return Object.fromEntries(renamed);
}

function renameValue(value: unknown, names: SettingNames, path: readonly string[], remarks: RenameRemarks): unknown {
  if (isSettings(value)) return renameLevel(value, names, path, remarks);
  if (Array.isArray(value)) return value.map((item, at) => renameValue(item, names, [...path, String(at)], remarks));
  if (typeof value !== 'string' || names.values === undefined || !Object.hasOwn(names.values, value)) return value;
  const current = names.values[value] ?? value;
  remarks.warnings.push({ path, message: `${JSON.stringify(value)} is an old name: use ${current}` });
  return current;
}

function nestedNames({ below, each }: SettingNames, name: string, value: unknown): SettingNames | undefined {
  if (below !== undefined && Object.hasOwn(below, name)) return below[name];
  return typeof each === 'function' ? each(isSettings(value) ? value : {}) : each;
}

function fixedLimit({ fixed = {} }: SettingNames, name: string): string | undefined {
  return Object.entries(fixed).find(([old]) => name === old || name === withUnderscores(old))?.[1];
}

function currentByOld({ current = [], renamed = {} }: SettingNames): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const name of current) names.set(withUnderscores(name), name);
  for (const [old, name] of Object.entries(renamed)) names.set(withUnderscores(old), name).set(old, name);
  return names;
}

function withUnderscores(name: string): string {
  return name.replaceAll('-', '_');
}
