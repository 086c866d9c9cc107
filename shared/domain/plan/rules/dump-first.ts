import type { UpgradeFacts } from '../../../schemas/plan.ts';
import {
  combineFindings,
  blockFinding,
  hoursText,
  passFinding,
  warnFinding,
  type RuleFinding,
  type UpgradeRule,
} from '../rule.ts';
import { crossesVersion, isOlder } from '../version.ts';
import { wordsOf } from '../product-words.ts';

const RULE_ID = '6.0.0-dump';
/** Maximum age of a dump in seconds; an older one counts as out of date. */
const DUMP_SECONDS_MAX = 24 * 3600;

/** Upgrade rule for 6.0.0 (reference 9.3): after an upgrade from 5.x, a dump is the only way back. */
export const dumpFirst: UpgradeRule = {
  id: RULE_ID,
  title: 'A downgrade to 5.x is impossible: take a dump first',
  applies: (path) => crossesVersion(path, [6, 0, 0]) && isOlder(path.from, [6, 0, 0]),
  evaluate: (facts) => combineFindings(judgeDump(facts), judgeDisk(facts)),
  steps: (facts) => [
    {
      id: 'dump',
      phase: 'backup',
      kind: 'manual',
      rule: RULE_ID,
      title: 'Dump everything, and store the file on another machine',
      details: ['After the restart the backend migrates its database, and a downgrade to 5.x is impossible.'],
      commands: [wordsOf(facts).dump('dump.yml'), 'monctl upgrade check --dump dump.yml'],
      check: `rule:${RULE_ID}`,
    },
  ],
};

function judgeDump({ product, dump, counts, taken_at: now }: UpgradeFacts): RuleFinding {
  if (dump === undefined) {
    return blockFinding(
      ['there is no dump'],
      [
        `create one and pass it: ${wordsOf({ product }).dump('FILE')}, then --dump FILE`,
        'without a dump, a downgrade to 5.x is impossible',
      ],
    );
  }
  if (dump.problem !== null) {
    return blockFinding([`${dump.file} cannot be restored: ${dump.problem}`], ['create another dump']);
  }
  const ageSeconds = now - dump.taken_at;
  if (ageSeconds > DUMP_SECONDS_MAX) {
    return blockFinding(
      [`${dump.file} is ${hoursText(ageSeconds)} old`],
      [`create another one: it may be ${hoursText(DUMP_SECONDS_MAX)} old at most`],
    );
  }
  const countTexts = Object.entries(dump.counts).map(([type, count]) => `${String(count)} ${type}`);
  const evidence = `${dump.file}, ${hoursText(Math.max(0, ageSeconds))} old, contains ${countTexts.join(', ') || 'nothing'}`;
  if (counts === undefined) {
    return warnFinding([evidence, 'it is unknown whether it is complete: the live objects could not be counted'], []);
  }
  const missing = Object.entries(counts).filter(([type, count]) => (dump.counts[type] ?? 0) < count);
  if (missing.length === 0) return passFinding(evidence);
  return blockFinding(
    [
      evidence,
      ...missing.map(([type, count]) => `of ${String(count)} ${type} it contains ${String(dump.counts[type] ?? 0)}`),
    ],
    ['create another dump, with --all-namespaces and as a user who may see everything'],
  );
}

function judgeDisk({ disk }: UpgradeFacts): RuleFinding {
  if (disk === undefined) {
    return warnFinding(
      ['the free disk space is unknown'],
      ['make sure that there is space for a second copy of the database'],
    );
  }
  const { path, free_bytes: free, needed_bytes: needed } = disk;
  const evidence = `${path}: ${roundedMebibytes(free)} free, ${roundedMebibytes(needed)} needed`;
  return free >= needed ? passFinding(evidence) : blockFinding([evidence], [`free some space on ${path}`]);
}

function roundedMebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
