import { blockFinding, namesText, passFinding, type UpgradeRule } from '../rule.ts';
import { fixCommand, namespaceFixes, orphansOf } from '../orphans.ts';
import { crossesVersion } from '../version.ts';
import { wordsOf } from '../product-words.ts';

const RULE_ID = '6.2.0-namespaces';

/**
 * Upgrade rule for 6.2.0 (reference 9.3): the backend upgrades all checks when it starts. If the namespace of a check
 * does not exist, the start fails.
 */
export const orphanNamespaces: UpgradeRule = {
  id: RULE_ID,
  title: 'The namespace of every check exists',
  applies: (path) => crossesVersion(path, [6, 2, 0]),
  evaluate(facts) {
    const orphans = orphansOf(facts);
    if (orphans === undefined) {
      return blockFinding(
        ['namespaces and checks could not be listed'],
        ['list them as a user who may see all of them, or pass a dump with --dump'],
      );
    }
    if (orphans.size === 0)
      return passFinding(`${String(facts.checks?.length ?? 0)} checks, all in existing namespaces`);
    return blockFinding(
      [...orphans].map(
        ([namespace, checks]) => `the namespace ${namespace} does not exist, but has checks: ${namesText(checks)}`,
      ),
      [
        'the upgrade and every restart would fail; first run:',
        ...[...namespaceFixes(orphans)].map((fix) => fixCommand(fix, wordsOf(facts).tool)),
        'or fix everything: monctl upgrade fix-namespaces --apply',
        'if the upgrade was done already: go back to 6.1.4, recreate the namespaces, and upgrade again',
      ],
    );
  },
  steps(facts) {
    const orphans = orphansOf(facts);
    if (orphans === undefined || orphans.size === 0) return [];
    const fixes = [...namespaceFixes(orphans)];
    const checks = fixes.filter(({ kind }) => kind === 'delete-check').length;
    return [
      {
        id: 'fix-namespaces',
        phase: 'prepare',
        rule: RULE_ID,
        title: `Delete ${String(checks)} checks of namespaces that do not exist`,
        details: fixes.map((fix) => fixCommand(fix, wordsOf(facts).tool)),
        confirm: [...orphans.keys()].join(' '),
        ...(facts.product === 'mon'
          ? { kind: 'action', action: 'fix-namespaces' }
          : { kind: 'manual', commands: ['monctl upgrade fix-namespaces --apply'], check: `rule:${RULE_ID}` }),
      },
    ];
  },
};
