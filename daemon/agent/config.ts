import { mergeSettings, isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { InvalidSettings, locateRemark, remarkText, type LocatedRemark } from '../settings/locate-remark.ts';
import { readSettings } from '../settings/read-settings.ts';
import { SettingsReview, type Remark } from '../settings/settings-review.ts';

export interface AgentDefinitions {
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  /** The `client` section, merged; see `clientRecord`. */
  readonly client: Settings;
  /** For the log: what was read and does nothing here. */
  readonly warnings: readonly string[];
}

/** Sections that an agent acts upon, and those that belong to the backend when both share a directory. */
const SECTIONS: ReadonlySet<string> = new Set(['checks', 'client', 'handlers', 'filters', 'mutators', 'api']);

/**
 * The definitions of this machine: JSON and YAML files in the directories, merged like those of the backend (completion 1.16).
 *
 * @throws MonError `invalid` that lists every problem with its file and its place in it
 */
export async function loadDefinitions(directories: readonly string[]): Promise<AgentDefinitions> {
  const { layers, problems, warnings } = await readSettings(undefined, directories);
  if (problems.length > 0) throw new InvalidSettings(problems);

  const settings = layers.reduce<Settings>((merged, layer) => mergeSettings(merged, layer.settings), {});
  const review = new SettingsReview(settings);
  const checks = review.checks();
  const client = settings['client'] ?? {};
  if (!isSettings(client)) review.problems.push({ path: ['client'], message: 'must be an object' });
  for (const section of Object.keys(settings)) {
    if (!SECTIONS.has(section)) review.warnings.push({ path: [section], message: 'has no effect on an agent' });
  }
  for (const [name, { standalone, publish, interval }] of checks) {
    if (standalone === true && publish !== false && interval === undefined) {
      review.warnings.push({ path: ['checks', name, 'interval'], message: 'is missing, so the agent never runs it' });
    }
  }
  const locate = (remark: Remark): LocatedRemark => locateRemark(remark, layers);
  if (review.problems.length > 0) throw new InvalidSettings(review.problems.map(locate));
  return {
    checks,
    client: isSettings(client) ? client : {},
    warnings: [...warnings, ...review.warnings.map(locate)].map(remarkText),
  };
}
