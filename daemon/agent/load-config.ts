import { isSettings, mergeSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { InvalidSettings, locateRemark, remarkText, type LocatedRemark } from '../settings/locate-remark.ts';
import { readSettings } from '../settings/read-settings.ts';
import { renameLayers } from '../settings/rename-layers.ts';
import { SettingsReview } from '../settings/settings-review.ts';
import { AGENT_SETTING_NAMES, agentSettingsSchema, environmentSettings, type AgentSettings } from './agent-settings.ts';
import { EXTENSION_NAMES, findExtension } from './extensions/find-extension.ts';
import { type Remark } from '../settings/remark.ts';

export interface LoadedAgentConfig {
  readonly agent: AgentSettings;
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  /** The `client` section, merged from all layers; `clientIdentity` validates it. */
  readonly client: Settings;
  /** All settings that were read, merged from all layers. They contain secrets. */
  readonly settings: Settings;
  /** The paths of all configuration files that were read, in reading order. */
  readonly files: readonly string[];
  /** Log messages about settings that have no effect on this agent, and about a missing main file. */
  readonly warnings: readonly string[];
}

export interface AgentConfigSources {
  /** Path of the main configuration file. If the file is missing, this is only a warning. */
  readonly file?: string | undefined;
  /** Directories with more configuration files, read recursively and in this order. */
  readonly directories: readonly string[];
  /** Environment variables such as `MON_AGENT_NAME`; settings in files override them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Settings from the command line; they override all other settings. */
  readonly flags?: Settings;
  /**
   * The default state directory of an installed package; undefined in a source checkout, where the default of the
   * schema is used.
   */
  readonly stateDir?: string | undefined;
}

/**
 * The sections that an agent uses, and the sections of a backend that shares the configuration directory with an agent.
 * Any other section causes a warning.
 */
const SUPPORTED_SECTIONS: ReadonlySet<string> = new Set([
  'agent',
  'checks',
  'client',
  'handlers',
  'filters',
  'mutators',
  'api',
]);

/**
 * Loads the settings and check definitions of this machine. Later layers override earlier ones: the default state
 * directory, the environment, the main file, the directories, the command line. They are merged like the layers of a
 * backend (completion 1.16).
 *
 * @throws MonError `invalid` that lists every problem with its file and the path of the setting
 */
export async function readAgentConfig({
  file,
  directories,
  env,
  flags = {},
  stateDir,
}: AgentConfigSources): Promise<LoadedAgentConfig> {
  const read = await readSettings(file, directories);
  if (read.problems.length > 0) throw new InvalidSettings(read.problems);

  const written = [
    ...(stateDir === undefined ? [] : [{ origin: 'installation', settings: { agent: { 'state-dir': stateDir } } }]),
    { origin: 'environment', settings: environmentSettings(env) },
    ...read.layers,
    { origin: 'command line', settings: flags },
  ];
  const { layers, ...renamed } = renameLayers(written, AGENT_SETTING_NAMES);
  const settings = layers.reduce<Settings>((merged, layer) => mergeSettings(merged, layer.settings), {});
  const review = new SettingsReview(settings);
  const agent = review.value(['agent'], agentSettingsSchema, settings['agent'] ?? {});
  const checks = review.checks();
  const client = settings['client'] ?? {};
  if (!isSettings(client)) review.problems.push({ path: ['client'], message: 'must be an object' });
  for (const section of Object.keys(settings)) {
    if (!SUPPORTED_SECTIONS.has(section))
      review.warnings.push({ path: [section], message: 'has no effect on an agent' });
  }
  for (const [name, check] of checks) {
    const message = extensionProblem(check);
    if (message !== undefined) review.warnings.push({ path: ['checks', name, 'extension'], message });
  }
  const locate = (remark: Remark): LocatedRemark => locateRemark(remark, layers);
  const problems = [...renamed.problems, ...review.problems.map(locate)];
  if (agent === undefined || problems.length > 0) throw new InvalidSettings(problems);
  return {
    agent,
    checks,
    client: isSettings(client) ? client : {},
    settings,
    files: read.files,
    warnings: [...read.warnings, ...renamed.warnings, ...review.warnings.map(locate)].map(remarkText),
  };
}

/**
 * Returns a warning if the agent does not have the built-in check that a check definition names; otherwise undefined.
 * It is no error: another agent or the backend could use the definition.
 */
function extensionProblem({ command, extension }: CheckDefinition): string | undefined {
  if (command !== undefined || extension === undefined || findExtension(extension) !== undefined) return undefined;
  return `uses "${extension}", which is not a built-in check, so the agent never runs it: ${EXTENSION_NAMES.join(', ')}`;
}
