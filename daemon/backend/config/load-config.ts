import { mergeSettings, type Settings } from '../../../shared/domain/merge-settings.ts';
import { checksDefinedTwice } from '../../settings/duplicate-definitions.ts';
import { InvalidSettings, locateRemark, remarkText, type LocatedRemark } from '../../settings/locate-remark.ts';
import { readSettings, type WatchedFolder } from '../../settings/read-settings.ts';
import { renameLayers } from '../../settings/rename-layers.ts';
import { readEnvironment } from './read-environment.ts';
import { BACKEND_SETTING_NAMES } from './setting-names.ts';
import { validateSettings, type ValidSettings } from './validate-settings.ts';
import type { Remark } from '../../settings/remark.ts';

export interface LoadedConfig extends ValidSettings {
  /** All settings that were read, merged into one object, for `GET /settings`. They contain secrets. */
  readonly settings: Settings;
  /** Warnings as log messages, such as warnings about settings without effect. */
  readonly warnings: readonly string[];
  /** The configuration files that were read, in reading order. */
  readonly files: readonly string[];
  /** The folders to watch for changes of the configuration. */
  readonly folders: readonly WatchedFolder[];
}

/**
 * The error for a configuration with problems. It has the list of the folders that were read, so that a reload can
 * watch them for the corrected file.
 */
export class RejectedConfig extends InvalidSettings {
  readonly folders: readonly WatchedFolder[];

  constructor(problems: readonly LocatedRemark[], folders: readonly WatchedFolder[]) {
    super(problems);
    this.folders = folders;
  }
}

export interface ConfigSources {
  /** The main configuration file. If the file is missing, only a warning is logged. */
  readonly file?: string;
  /** Directories whose files are read recursively, in this order. */
  readonly directories: readonly string[];
  /** Environment variables such as `MON_PORT`. Settings in files override them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Settings from the command line. They override all other settings. */
  readonly flags?: Settings;
  /** True if warnings count as problems, so that they reject the configuration; default: false. */
  readonly isStrict?: boolean;
}

/**
 * Loads settings from the environment, the main file, the directories and the flags, in this order. Later layers
 * override earlier layers, objects are merged deeply, and arrays are joined (completion 1.16). Old names of settings
 * are replaced before the layers are merged.
 *
 * @throws RejectedConfig that lists every problem with its file and its position in the file
 */
export async function loadConfig({
  file,
  directories,
  env,
  flags = {},
  isStrict = false,
}: ConfigSources): Promise<LoadedConfig> {
  const [read, environment] = await Promise.all([readSettings(file, directories), readEnvironment(env)]);
  const unread = [...environment.problems, ...read.problems];
  // Stop here if a file cannot be read: its missing definitions would cause misleading errors.
  if (unread.length > 0) throw new RejectedConfig(unread, read.folders);

  const written = [...environment.layers, ...read.layers, { origin: 'command line', settings: flags }];
  const { layers, ...renamed } = renameLayers(written, BACKEND_SETTING_NAMES);
  const settings = layers.reduce<Settings>((merged, layer) => mergeSettings(merged, layer.settings), {});
  const { valid, problems, warnings } = validateSettings(settings);
  const locate = (remark: Remark): LocatedRemark => locateRemark(remark, layers);
  const remarks = [
    ...environment.warnings,
    ...read.warnings,
    ...renamed.warnings,
    ...checksDefinedTwice(layers),
    ...warnings.map(locate),
  ];
  const refused = [...renamed.problems, ...problems.map(locate), ...(isStrict ? remarks : [])];
  if (refused.length > 0) throw new RejectedConfig(refused, read.folders);
  return {
    ...valid,
    settings,
    warnings: remarks.map(remarkText),
    files: read.files,
    folders: read.folders,
  };
}
