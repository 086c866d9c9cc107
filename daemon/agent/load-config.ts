import { isSettings, mergeSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { InvalidSettings, locateRemark, remarkText, type LocatedRemark } from '../settings/locate-remark.ts';
import { readSettings } from '../settings/read-settings.ts';
import { renameLayers } from '../settings/rename-layers.ts';
import { SettingsReview } from '../settings/settings-review.ts';
import { AGENT_SETTING_NAMES, agentSettingsSchema, environmentSettings, type AgentSettings } from './agent-settings.ts';
import { EXTENSION_NAMES, findExtension } from './extensions/find-extension.ts';
import { type Remark } from '../settings/remark.ts';

export interface LoadedConfig {
  readonly agent: AgentSettings;
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  /** The `client` section, merged; see `clientIdentity`. */
  readonly client: Settings;
  /** Everything that was read, merged. Holds secrets. */
  readonly settings: Settings;
  /** Every file that was read, in that order. */
  readonly files: readonly string[];
  /** For the log: what was read and does nothing here. */
  readonly warnings: readonly string[];
}

export interface ConfigSources {
  /** The main file; a missing one is a warning. */
  readonly file?: string | undefined;
  /** Read recursively, one after the other. */
  readonly directories: readonly string[];
  /** `MON_AGENT_NAME` and the others, beneath what the files say. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the command line says, over everything else. */
  readonly flags?: Settings;
  /** Where results wait unless one of these says otherwise; default: where a clone has them. */
  readonly stateDir?: string | undefined;
}

/** Sections that an agent acts upon, and those that belong to the backend when both share a directory. */
const SECTIONS: ReadonlySet<string> = new Set(['agent', 'checks', 'client', 'handlers', 'filters', 'mutators', 'api']);

/**
 * The settings and definitions of this machine: environment, main file, directories, flags; merged like those of the
 * backend (completion 1.16).
 *
 * @throws MonError `invalid` that lists every problem with its file and its place in it
 */
export async function loadConfig({
  file,
  directories,
  env,
  flags = {},
  stateDir,
}: ConfigSources): Promise<LoadedConfig> {
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

/** An unknown one is not refused: the definition may be for the backend, whose other agents know it. */
function extensionProblem({ command, extension }: CheckDefinition): string | undefined {
  if (command !== undefined || extension === undefined || findExtension(extension) !== undefined) return undefined;
  return `names "${extension}", which is no built-in check, so the agent never runs it: ${EXTENSION_NAMES.join(', ')}`;
}
