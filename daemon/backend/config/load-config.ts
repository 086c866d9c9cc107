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
  /** All settings that were read, merged, for `GET /settings`. Contains secrets. */
  readonly settings: Settings;
  /** Log messages about settings that have no effect, or not the expected one. */
  readonly warnings: readonly string[];
  /** Every file that was read, in reading order. */
  readonly files: readonly string[];
  /** The folders to watch for changes of the configuration. */
  readonly folders: readonly WatchedFolder[];
}

/** The error for a configuration with problems. It lists the folders that were read, because a fix appears there. */
export class RejectedConfig extends InvalidSettings {
  readonly folders: readonly WatchedFolder[];

  constructor(problems: readonly LocatedRemark[], folders: readonly WatchedFolder[]) {
    super(problems);
    this.folders = folders;
  }
}

export interface ConfigSources {
  /** The main file; a missing one is a warning. */
  readonly file?: string;
  /** Directories that are read recursively, one after the other. */
  readonly directories: readonly string[];
  /** Environment variables such as `MON_PORT`; the files override them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Settings from the command line; they override everything else. */
  readonly flags?: Settings;
  /** Whether warnings count as problems; default: false. */
  readonly isStrict?: boolean;
}

/**
 * Loads the environment, then the main file, then the directories, then the flags. Later layers override earlier ones,
 * objects merge deeply, arrays are joined (completion 1.16). Old names of settings are replaced before that.
 *
 * @throws RejectedConfig that lists every problem with its file and its place in it
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
  // If a file cannot be read, its missing definitions would only cause false errors.
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
