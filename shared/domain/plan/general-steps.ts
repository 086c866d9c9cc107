import type { UpgradeFacts } from '../../schemas/plan.ts';
import type { PhasedStep } from './rule.ts';
import { isRolling } from './rules/stop-all.ts';
import { versionText, type UpgradePath } from './version.ts';
import { wordsOf } from './product-words.ts';

/** Returns the steps that every upgrade has (reference 9.2). The caller inserts the steps of the applicable rules. */
export function generalSteps(facts: UpgradeFacts, path: UpgradePath): readonly PhasedStep[] {
  const to = versionText(path.to);
  const { agent, backend, tool } = wordsOf(facts);
  return [
    {
      id: 'rules',
      phase: 'prepare',
      kind: 'check',
      check: 'rules',
      title: 'Run the pre-flight checks',
      details: [],
    },
    ...backupSteps(facts),
    ...installSteps(facts, to),
    ...restartSteps(facts, path),
    ...migrateSteps(facts, path),
    {
      id: 'versions',
      phase: 'verify',
      kind: 'check',
      check: 'versions-agree',
      title: 'Compare the versions of backends, agents and tools',
      details: [`${agent} version, ${backend} version and ${tool} version must all show the new version.`],
    },
    {
      id: 'entities',
      phase: 'verify',
      kind: 'check',
      check: 'entities-kept',
      title: 'Count the entities again',
      details: ['The list may be inconsistent for a few seconds after the upgrade.'],
    },
  ];
}

/** The backup step if all state is in PostgreSQL: an operator backs up the database and confirms it. */
const DATABASE_BACKUP: PhasedStep = {
  id: 'backup',
  phase: 'backup',
  kind: 'manual',
  title: 'Back up the database of the store',
  details: ['This cannot be verified from here: confirm it only if there is a usable backup.'],
  commands: ['pg_dump --format=custom --schema=mon --file=mon.dump mon'],
};

function backupSteps({ product, key_value_store: store }: UpgradeFacts): readonly PhasedStep[] {
  if (product !== 'mon') return [];
  if (store === 'external') return [DATABASE_BACKUP];
  return [
    {
      id: 'backup',
      phase: 'backup',
      kind: 'action',
      action: 'backup',
      title: 'Back up the store and verify the backup',
      details: ['The plan can be rolled back to it until the upgrade is done.'],
    },
  ];
}

function installSteps({ product, backends }: UpgradeFacts, to: string): readonly PhasedStep[] {
  const where = (backends?.length ?? 1) > 1 ? ' on every backend' : '';
  return [
    {
      id: 'install',
      phase: 'install',
      kind: 'manual',
      title: `Install the packages of ${to}${where}`,
      details: ['The installed version is used after the restart.'],
      commands: [wordsOf({ product }).install(to)],
    },
    {
      id: 'daemon-reload',
      phase: 'install',
      kind: 'manual',
      title: 'Reload the systemd units',
      details: ['Only on hosts with systemd.'],
      commands: ['systemctl daemon-reload'],
    },
  ];
}

function restartSteps({ product, backends = [] }: UpgradeFacts, path: UpgradePath): readonly PhasedStep[] {
  const words = wordsOf({ product });
  const agent: PhasedStep = {
    id: 'restart-agents',
    phase: 'restart',
    kind: 'manual',
    title: 'Restart the agents',
    details: ['On each host. Agents keep their results until a backend accepts them.'],
    commands: [`systemctl restart ${words.agent}`],
  };
  const names = backends.length > 1 ? backends.map(({ name }) => name) : [undefined];
  const verb = isRolling(path) || names.length === 1 ? 'Restart' : 'Start';
  return [
    agent,
    ...names.map((name): PhasedStep => ({
      id: name === undefined ? 'restart-backend' : `restart-${name}`,
      phase: 'restart',
      kind: 'manual',
      title: name === undefined ? 'Restart the backend' : `${verb} the backend ${name}`,
      details: ['Consoles reconnect automatically.'],
      commands: [`systemctl ${verb.toLowerCase()} ${words.backend}`],
      check: 'health',
    })),
  ];
}

function migrateSteps({ product }: UpgradeFacts, path: UpgradePath): readonly PhasedStep[] {
  const to = versionText(path.to);
  const agree: PhasedStep = {
    id: 'backends-agree',
    phase: 'migrate',
    kind: 'check',
    check: 'rules',
    title: 'Repeat the pre-flight checks',
    details: ['Finds what an earlier step should have fixed but did not.'],
  };
  const upgrade = {
    id: 'migrate',
    phase: 'migrate',
    title: 'Upgrade the database',
    details: [
      'After this step the only way back is the backup.',
      'Checks and events continue; the entity list may be inconsistent until it is done.',
    ],
    confirm: to,
  } as const;
  if (product !== 'mon') {
    return [
      agree,
      { ...upgrade, kind: 'manual', commands: [`${wordsOf({ product }).backend} upgrade`], check: 'health' },
    ];
  }
  const migrate: PhasedStep = { ...upgrade, kind: 'action', action: 'migrate' };
  // Results are processed during an upgrade (reference 9.2), unless all backends must change the storage format at
  // once.
  return isRolling(path) ? [agree, migrate] : [agree, drainStep, migrate, resumeStep];
}

const drainStep: PhasedStep = {
  id: 'drain',
  phase: 'migrate',
  kind: 'action',
  action: 'drain',
  title: 'Stop accepting results',
  details: ['Agents keep their results and deliver them afterwards.'],
};

const resumeStep: PhasedStep = {
  id: 'resume',
  phase: 'migrate',
  kind: 'action',
  action: 'resume',
  title: 'Accept results again',
  details: [],
};
