import type { UpgradeFacts } from '../../../schemas/plan.ts';
import {
  combineFindings,
  blockFinding,
  hoursText,
  passFinding,
  warnFinding,
  type RuleFinding,
  type PhasedStep,
  type UpgradeRule,
} from '../rule.ts';
import { crossesVersion } from '../version.ts';

const RULE_ID = '6.4.0-store';
const SNAPSHOT_SECONDS_MAX = 24 * 3600;

/** Upgrade rule for 6.4.0 (reference 9.3): the embedded store is upgraded, and a snapshot is the only way back. */
export const storeUpgrade: UpgradeRule = {
  id: RULE_ID,
  title: 'The embedded key-value store is upgraded: earlier backends can no longer read it',
  applies: (path) => crossesVersion(path, [6, 4, 0]),
  evaluate: (facts) =>
    combineFindings(judgeSnapshot(facts), judgeRelational(facts), judgeBackends(facts), AGENTS_FINDING),
  // If mon itself is upgraded, the plan already contains a backup step.
  steps: (facts) => [
    ...(isEmbedded(facts) && facts.product !== 'mon' ? [snapshotStep] : []),
    ...(isRelational(facts) && facts.product !== 'mon' ? [relationalStep] : []),
  ],
};

const AGENTS_FINDING = passFinding('agents of earlier versions keep working: they can be upgraded later');

/**
 * Whether the key-value store is embedded. An unknown store counts as embedded, because an extra snapshot does no harm.
 */
function isEmbedded({ key_value_store: store }: UpgradeFacts): boolean {
  return store !== 'external';
}

function isRelational({ event_store: store }: UpgradeFacts): boolean {
  return store === 'relational';
}

const snapshotStep: PhasedStep = {
  id: 'snapshot',
  phase: 'backup',
  kind: 'manual',
  rule: RULE_ID,
  title: 'Take a full snapshot of the store',
  details: ['It is the only way back to an earlier version.'],
  commands: ['etcdctl snapshot save snapshot.db', 'monctl upgrade check --snapshot snapshot.db'],
  check: `rule:${RULE_ID}`,
};

const relationalStep: PhasedStep = {
  id: 'relational-backup',
  phase: 'backup',
  kind: 'manual',
  rule: RULE_ID,
  title: 'Back up the relational database',
  details: ['This cannot be verified from here: confirm it only if there is a usable backup.'],
  commands: ['pg_dump --format=custom --file=mon-events.dump mon'],
};

function judgeSnapshot(facts: UpgradeFacts): RuleFinding {
  if (!isEmbedded(facts)) return passFinding('the key-value store is external: it stays compatible');
  const { snapshot, product, taken_at: now } = facts;
  // The backup step, which every plan has, creates and verifies the snapshot.
  if (snapshot === undefined && product === 'mon') return passFinding('the plan takes a snapshot and verifies it');
  if (snapshot === undefined) {
    return blockFinding(['there is no snapshot of the embedded store'], ['take one and pass it: --snapshot FILE']);
  }
  if (snapshot.problem !== null) {
    return blockFinding([`${snapshot.file} is not a usable snapshot: ${snapshot.problem}`], ['take another one']);
  }
  const ageSeconds = now - snapshot.taken_at;
  if (ageSeconds > SNAPSHOT_SECONDS_MAX) {
    return blockFinding([`${snapshot.file} is ${hoursText(ageSeconds)} old`], ['take another one']);
  }
  return passFinding(`${snapshot.file}, ${hoursText(Math.max(0, ageSeconds))} old, readable`);
}

function judgeRelational(facts: UpgradeFacts): RuleFinding {
  if (!isRelational(facts)) return passFinding();
  if (facts.product === 'mon') return passFinding('the plan has a step for the backup of the database');
  if (facts.attested.includes('relational-backup'))
    return passFinding('the operator confirmed a backup of the relational database');
  return blockFinding(
    ['nobody has confirmed a backup of the relational database'],
    ['back it up, then confirm it: --accept relational-backup'],
  );
}

function judgeBackends({ backends }: UpgradeFacts): RuleFinding {
  if (backends === undefined) return warnFinding(['the versions of the backends are unknown'], []);
  return passFinding(
    ...backends.map(({ name, version }) => `backend ${name} is at ${version ?? 'an unknown version'}`),
  );
}
