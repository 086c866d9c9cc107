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
  /** The `client` section, merged; see `clientIdentity`. */
  readonly client: Settings;
  /** All settings that were read, merged. Contains secrets. */
  readonly settings: Settings;
  /** Every file that was read, in reading order. */
  readonly files: readonly string[];
  /** Log messages about settings that were read but have no effect here. */
  readonly warnings: readonly string[];
}

export interface AgentConfigSources {
  /** The main file; a missing one is a warning. */
  readonly file?: string | undefined;
  /** Directories that are read recursively, one after the other. */
  readonly directories: readonly string[];
  /** Environment variables such as `MON_AGENT_NAME`; the files override them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Settings from the command line; they override everything else. */
  readonly flags?: Settings;
  /** The default state directory; default: the one of a source checkout. */
  readonly stateDir?: string | undefined;
}

/** Sections that an agent uses, and those that belong to the backend if both share a directory. */
const SECTIONS: ReadonlySet<string> = new Set(['agent', 'checks', 'client', 'handlers', 'filters', 'mutators', 'api']);

/**
 * Loads the settings and definitions of this machine. Layers, lowest first: environment, main file, directories, flags.
 * They are merged like those of the backend (completion 1.16).
 *
 * @throws MonError `invalid` that lists every problem with its file and its place in it
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
    if (!SECTIONS.has(section)) review.warnings.push({ path: [section], message: 'has no effect on an agent' });
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
 * Returns a warning if the extension of a check is unknown. It is not an error: the definition may be for the backend,
 * and other agents may have the extension.
 */
function extensionProblem({ command, extension }: CheckDefinition): string | undefined {
  if (command !== undefined || extension === undefined || findExtension(extension) !== undefined) return undefined;
  return `uses "${extension}", which is not a built-in check, so the agent never runs it: ${EXTENSION_NAMES.join(', ')}`;
}
