import { mergeSettings, type Settings } from '../../../shared/domain/merge-settings.ts';
import { checksDefinedTwice } from '../../settings/defined-twice.ts';
import { InvalidSettings, locateRemark, remarkText, type LocatedRemark } from '../../settings/locate-remark.ts';
import { readSettings, type WatchedFolder } from '../../settings/read-settings.ts';
import { renameLayers } from '../../settings/rename-layers.ts';
import { readEnvironment } from './read-environment.ts';
import { BACKEND_SETTING_NAMES } from './setting-names.ts';
import { validateSettings, type ValidSettings } from './validate-settings.ts';
import type { Remark } from '../../settings/remark.ts';

export interface LoadedConfig extends ValidSettings {
  /** Everything that was read, merged, for `GET /settings`. Holds secrets. */
  readonly settings: Settings;
  /** For the log: what was read and does nothing, or not what it seems to. */
  readonly warnings: readonly string[];
  /** Every file that was read, in that order. */
  readonly files: readonly string[];
  /** Folders in which a change of the configuration shows. */
  readonly folders: readonly WatchedFolder[];
}

/** A configuration with problems, and where it was looked for: what mends it shows there. */
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
  /** Read recursively, one after the other. */
  readonly directories: readonly string[];
  /** `MON_PORT` and the others, beneath what the files say. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the command line says, over everything else. */
  readonly flags?: Settings;
  /** Whether what is only warned of is a problem too; default: no. */
  readonly isStrict?: boolean;
}

/**
 * Environment, then the main file, then the directories, then the flags; the later one wins, objects merge deeply,
 * arrays are joined (completion 1.16). Old names of settings are replaced before that.
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
  // What is missing because a file cannot be read would only add false complaints.
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
