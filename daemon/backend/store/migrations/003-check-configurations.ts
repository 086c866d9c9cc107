import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import { tupleRange } from '../tuple.ts';
import type { Migration } from './migration.ts';
import type { MigrationReader } from './upgrade-target.ts';

const CHECKS_PREFIX = ['definition', 'checks'];

/** Key prefix of declared namespaces, in the stores that this migration upgrades. */
const NAMESPACE_PREFIX = 'namespace';

/**
 * Maximum number of checks for which the remedy in an error lists a command. For more checks, an operator writes a
 * loop.
 */
const CHECKS_NAMED_MAX = 20;

interface CheckConfiguration {
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * Adds its name and namespace to each check configuration, and requires that the namespace exists (reference 9.3,
 * 6.2.0). Earlier versions stored the namespace only in the key, and did not delete the configurations of a deleted
 * namespace. Only an operator can decide whether to delete such a check or to create the namespace again. So the
 * migration does not run until no such check is left.
 */
export const checkConfigurations: Migration = {
  version: 3,
  name: 'check configurations',
  prefixes: [CHECKS_PREFIX],
  rewrite(key, value) {
    const [, , namespace, name] = key;
    const check = JSON.parse(value) as CheckConfiguration;
    if (check.metadata?.['namespace'] === namespace && check.metadata?.['name'] === name) return value;
    return JSON.stringify({ ...check, metadata: { ...check.metadata, name, namespace } });
  },
  async findObstacles(store) {
    const orphans: UpgradeObstacle[] = [];
    for await (const namespace of namespacesOfChecks(store)) {
      if (namespace === DEFAULT_NAMESPACE) continue;
      if ((await store.get([NAMESPACE_PREFIX, namespace])) !== undefined) continue;
      orphans.push(obstacleOfOrphans(namespace, await checksOf(store, namespace)));
    }
    return orphans;
  },
};

/**
 * Yields each namespace with check configurations, once each. It reads one key per namespace, however many checks the
 * namespace has.
 */
async function* namespacesOfChecks(store: MigrationReader): AsyncGenerator<string, void, undefined> {
  const { gte, lt } = tupleRange(CHECKS_PREFIX);
  let from = gte;
  for (;;) {
    const [key] = await store.keys({ gte: from, lt }, 1);
    if (key === undefined) return;
    const namespace = String(key[2]);
    yield namespace;
    from = tupleRange([...CHECKS_PREFIX, namespace]).lt;
  }
}

async function checksOf(store: MigrationReader, namespace: string): Promise<string[]> {
  const keys = await store.keys(tupleRange([...CHECKS_PREFIX, namespace]), CHECKS_NAMED_MAX + 1);
  return keys.map((key) => String(key[3]));
}

/**
 * Returns the upgrade obstacle for checks whose namespace does not exist. Its messages are those of reference 7, and
 * its commands are in the order of reference 9.3.
 */
function obstacleOfOrphans(namespace: string, checks: readonly string[]): UpgradeObstacle {
  return {
    reason: `the namespace ${namespace} does not exist`,
    detail: 'checks refer to it',
    component: 'store-providers',
    message: 'error enabling round robin scheduling,backend restart required',
    remedy: [
      `monctl namespace create ${namespace}`,
      ...checks
        .slice(0, CHECKS_NAMED_MAX)
        .map((check) => `monctl check delete ${check} --namespace ${namespace} --skip-confirm`),
      ...(checks.length > CHECKS_NAMED_MAX ? [`monctl check list --namespace ${namespace}  # and the others`] : []),
      `monctl namespace delete ${namespace} --skip-confirm`,
      'mon-backend upgrade',
    ],
  };
}
