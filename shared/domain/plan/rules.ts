import type { UpgradeRule } from './rule.ts';
import { agentPipelines } from './rules/agent-pipelines.ts';
import { certificatesRule } from './rules/certificates.ts';
import { dumpFirst } from './rules/dump-first.ts';
import { entityLimit } from './rules/entity-limit.ts';
import { eventMigration } from './rules/event-migration.ts';
import { orphanNamespaces } from './rules/orphan-namespaces.ts';
import { sameVersions } from './rules/same-versions.ts';
import { silenceStashes } from './rules/silence-stashes.ts';
import { stateDir } from './rules/state-dir.ts';
import { stopAll } from './rules/stop-all.ts';
import { storeUpgrade } from './rules/store-upgrade.ts';

/**
 * All upgrade rules, in the order of the report: first those without a version, then by version (reference 9.2).
 */
export const UPGRADE_RULES: readonly UpgradeRule[] = [
  sameVersions,
  silenceStashes,
  stateDir,
  stopAll,
  entityLimit,
  dumpFirst,
  eventMigration,
  orphanNamespaces,
  storeUpgrade,
  certificatesRule,
  agentPipelines,
];
