import { isSettings, mergeSettings, type Settings } from '../../../shared/domain/merge-settings.ts';
import { MonError } from '../../../shared/errors.ts';
import { readSettings, type SettingsLayer } from './read-settings.ts';
import { validateSettings, type Remark, type ValidSettings } from './validate-settings.ts';

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
  if (read.problems.length > 0) throw invalid(read.problems);

  const layers = [{ origin: 'environment', settings: environmentSettings(env) }, ...read.layers];
  const settings = layers.reduce<Settings>((merged, layer) => mergeSettings(merged, layer.settings), {});
  const { valid, problems, warnings } = validateSettings(settings);
  const locate = (remark: Remark): string =>
    `${originOf(remark.path, layers)}: ${remark.path.join('.')}: ${remark.message}`;
  if (problems.length > 0) throw invalid(problems.map(locate));
  return { ...valid, settings, warnings: [...read.warnings, ...warnings.map(locate)] };
}

function environmentSettings({ MON_PORT: port }: ConfigSources['env']): Settings {
  if (port === undefined || port === '') return {};
  // Anything but digits goes on as text, for the schema to refuse it by name.
  return { api: { port: /^\d+$/.test(port) ? Number(port) : port } };
}

/** The last source that says something about the value, or else about what it is part of. */
function originOf(path: readonly string[], layers: readonly SettingsLayer[]): string {
  const depths = layers.map(({ settings }) => depthOf(path, settings));
  return layers[depths.lastIndexOf(Math.max(...depths))]?.origin ?? 'configuration';
}

function depthOf(path: readonly string[], settings: Settings): number {
  let value: unknown = settings;
  for (const [depth, name] of path.entries()) {
    if (!isSettings(value) || !Object.hasOwn(value, name)) return depth;
    value = value[name];
  }
  return path.length;
}

function invalid(problems: readonly string[]): MonError {
  const count = problems.length === 1 ? '1 problem' : `${String(problems.length)} problems`;
  return new MonError('invalid', [`the configuration has ${count}:`, ...problems].join('\n  '));
}
