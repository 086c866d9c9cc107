import type { UpgradeFacts } from '../../../schemas/plan.ts';
import { namesText, passFinding, warnFinding, type UpgradeRule } from '../rule.ts';
import { crossesVersion, isOlder, parseVersion, type Version } from '../version.ts';
import { wordsOf } from '../product-words.ts';

const RULE_ID = '6.5.0-pipelines';
const PIPELINES_VERSION: Version = [6, 5, 0];

/** Upgrade rule for 6.5.0 (reference 9.3): agents below that version work, but do not support pipelines. */
export const agentPipelines: UpgradeRule = {
  id: RULE_ID,
  title: 'Pipelines need agents at 6.5.0',
  applies: (path, { pipelines }) => crossesVersion(path, PIPELINES_VERSION) && pipelines !== 0,
  evaluate(facts) {
    const { agents, pipelines } = facts;
    if (agents === undefined || pipelines === undefined) {
      return warnFinding(
        ['it is unknown whether there are pipelines or agents below 6.5.0'],
        ['with pipelines, upgrade all agents to 6.5.0'],
      );
    }
    const old = oldAgents(facts);
    if (old.length === 0) return passFinding(`${String(agents.length)} agents, none below 6.5.0`);
    return warnFinding(
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
        rule: RULE_ID,
        title: `Upgrade ${String(old.length)} agents to 6.5.0`,
        details: [`Below 6.5.0: ${namesText(old)}`],
        commands: [`systemctl restart ${wordsOf(facts).agent}`],
        check: `rule:${RULE_ID}`,
      },
    ];
  },
};

/** Returns the names of the agents below 6.5.0, including those with an unknown version. */
function oldAgents({ agents = [] }: UpgradeFacts): readonly string[] {
  return agents
    .filter(({ version }) => {
      const parsed = version === null ? undefined : parseVersion(version);
      return parsed === undefined || isOlder(parsed, PIPELINES_VERSION);
    })
    .map(({ namespace, name, version }) => `${namespace}/${name} (${version ?? 'unknown'})`);
}
