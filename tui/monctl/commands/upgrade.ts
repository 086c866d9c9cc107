import { findingsOf, createUpgradePlan } from '../../../shared/domain/plan/plan.ts';
import { worstOf } from '../../../shared/domain/plan/rule.ts';
import { versionText } from '../../../shared/domain/plan/version.ts';
import type { Finding, RuleVerdict } from '../../../shared/schemas/plan.ts';
import type { CommandCall, Command } from '../command.ts';
import { ExitError } from '../exit-codes.ts';
import { CLUSTER_OPTIONS, gatherFacts, OPERATOR_FACT_OPTIONS } from '../upgrade/gather-facts.ts';
import { PATH_OPTIONS, upgradePathOf } from '../upgrade/path.ts';
import { findingsText, stepsText } from '../upgrade/plan-text.ts';
import { fixNamespacesCommand } from './upgrade-namespaces.ts';
import { planCommands } from './upgrade-run.ts';
import { EXIT_CODES } from '../../words/exit-codes.ts';

const UPGRADE_OPTIONS = { ...PATH_OPTIONS, ...OPERATOR_FACT_OPTIONS, ...CLUSTER_OPTIONS };

const UPGRADE_DETAILS = [
  'The backend can be mon or a Sensu Go cluster. With --offline, only a dump is read; facts that the dump lacks become warnings.',
  'The exit code is 10 if a finding blocks the upgrade, else 0, even with warnings.',
];

const check: Command = {
  words: ['upgrade', 'check'],
  summary: 'Run the pre-flight checks for an upgrade',
  details: ['Each upgrade rule between the two versions gives a verdict: pass, warn or block.', ...UPGRADE_DETAILS],
  options: UPGRADE_OPTIONS,
  examples: [
    ['monctl upgrade check --from 6.1.0 --to 6.5.0', 'check the backend'],
    ['monctl upgrade check --offline --dump sensu-go.yml --from 5.21.0 --to 6.5.0', 'check a dump'],
  ],
  async run(call) {
    const path = await upgradePathOf(call);
    const findings = findingsOf(path, await gatherFacts(call));
    const verdict = worstOf(findings.map((finding) => finding.verdict));
    const value = { from: versionText(path.from), to: versionText(path.to), verdict, findings };
    await call.output.show(value, () => findingsText(findings, call.output.look));
    printVerdict(call, verdict, findings);
  },
};

const plan: Command = {
  words: ['upgrade', 'plan'],
  summary: 'Print an upgrade plan: findings and all steps in order',
  details: ['Nothing is stored or changed. To run a plan, use "monctl upgrade run".', ...UPGRADE_DETAILS],
  options: UPGRADE_OPTIONS,
  examples: [['monctl upgrade plan --from 6.1.0 --to 6.5.0 --output yaml', 'for a change request']],
  async run(call) {
    const made = createUpgradePlan(await upgradePathOf(call), await gatherFacts(call));
    await call.output.show(made, () =>
      [findingsText(made.findings, call.output.look), stepsText(made.steps, call.output.look)].join('\n\n'),
    );
    printVerdict(call, made.verdict, made.findings);
  },
};

/**
 * Prints the verdict on an upgrade.
 *
 * @throws ExitError when a finding blocks the upgrade
 */
function printVerdict({ output }: CommandCall, verdict: RuleVerdict, findings: readonly Finding[]): void {
  const named = (selected: RuleVerdict): string =>
    findings
      .filter((finding) => finding.verdict === selected)
      .map(({ rule }) => rule)
      .join(', ');
  if (verdict === 'block') throw new ExitError(EXIT_CODES.blocked, `the upgrade is blocked: ${named('block')}`);
  output.note(verdict === 'warn' ? `the upgrade is possible; warnings: ${named('warn')}` : 'the upgrade is possible');
}

export const upgradeCommands: readonly Command[] = [check, plan, fixNamespacesCommand, ...planCommands];
