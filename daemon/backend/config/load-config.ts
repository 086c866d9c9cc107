import { mergeSettings, type Settings } from '../../../shared/domain/merge-settings.ts';
import { invalidSettings, locateRemark } from '../../settings/locate-remark.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { validateSettings, type ValidSettings } from './validate-settings.ts';

export interface LoadedConfig extends ValidSettings {
  /** Everything that was read, merged, for `GET /settings`. Holds secrets. */
  readonly settings: Settings;
  /** For the log: what was read and does nothing, or not what it seems to. */
  readonly warnings: readonly string[];
}

interface ConfigSources {
  /** The main file; a missing one is a warning. */
  readonly file?: string;
  /** Read recursively, one after the other. */
  readonly directories: readonly string[];
  /** `MON_PORT` is the port of the API, beneath what the files say. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Environment, then the main file, then the directories; the later one wins, objects merge deeply, arrays are joined
 * (completion 1.16).
 *
 * @throws MonError `invalid` that lists every problem with its file and its place in it
 */
export async function loadConfig({ file, directories, env }: ConfigSources): Promise<LoadedConfig> {
  const read = await readSettings(file, directories);
  // What is missing because a file cannot be read would only add false complaints.
  if (read.problems.length > 0) throw invalidSettings(read.problems);

  const layers = [{ origin: 'environment', settings: environmentSettings(env) }, ...read.layers];
  const settings = layers.reduce<Settings>((merged, layer) => mergeSettings(merged, layer.settings), {});
  const { valid, problems, warnings } = validateSettings(settings);
  if (problems.length > 0) throw invalidSettings(problems.map((remark) => locateRemark(remark, layers)));
  const located = warnings.map((remark) => locateRemark(remark, layers));
  return { ...valid, settings, warnings: [...read.warnings, ...located] };
}

function environmentSettings({ MON_PORT: port }: ConfigSources['env']): Settings {
  if (port === undefined || port === '') return {};
  // Anything but digits goes on as text, for the schema to refuse it by name.
  return { api: { port: /^\d+$/.test(port) ? Number(port) : port } };
}
