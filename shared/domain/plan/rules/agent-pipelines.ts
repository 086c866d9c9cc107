import type { UpgradeFacts } from '../../../schemas/plan.ts';
import { namesText, pass, warn, type UpgradeRule } from '../rule.ts';
import { crosses, isOlder, parseVersion, type Version } from '../version.ts';
import { wordsOf } from '../product-words.ts';

const ID = '6.5.0-pipelines';
const PIPELINES: Version = [6, 5, 0];

/** Upgrade rule for 6.5.0 (reference 9.3): agents below that version work, but do not support pipelines. */
export const agentPipelines: UpgradeRule = {
  id: ID,
  title: 'Pipelines need agents at 6.5.0',
  applies: (path, { pipelines }) => crosses(path, PIPELINES) && pipelines !== 0,
  evaluate(facts) {
    const { agents, pipelines } = facts;
    if (agents === undefined || pipelines === undefined) {
      return warn(
        ['it is unknown whether there are pipelines or agents below 6.5.0'],
        ['with pipelines, upgrade all agents to 6.5.0'],
      );
    }
    const old = oldAgents(facts);
    if (old.length === 0) return pass(`${String(agents.length)} agents, none below 6.5.0`);
    return warn(
      [
        `${String(pipelines)} pipelines; ${String(old.length)} of ${String(agents.length)} agents below 6.5.0: ${namesText(old)}`,
      ],
      ['these agents still work, but do not use pipelines: upgrade them'],
    );
  },
  steps: (facts) => {
    const old = oldAgents(facts);
    if (old.length === 0) return [];
    return [
      {
        id: 'upgrade-agents',
        phase: 'verify',
        kind: 'manual',
        rule: ID,
        title: `Upgrade ${String(old.length)} agents to 6.5.0`,
        details: [`Below 6.5.0: ${namesText(old)}`],
        commands: [`systemctl restart ${wordsOf(facts).agent}`],
        check: `rule:${ID}`,
      },
    ];
  },
};

/** Returns the names of the agents below 6.5.0, including those with an unknown version. */
function oldAgents({ agents = [] }: UpgradeFacts): readonly string[] {
  return agents
    .filter(({ version }) => {
      const parsed = version === null ? undefined : parseVersion(version);
      return parsed === undefined || isOlder(parsed, PIPELINES);
    })
    .map(({ namespace, name, version }) => `${namespace}/${name} (${version ?? 'unknown'})`);
}
