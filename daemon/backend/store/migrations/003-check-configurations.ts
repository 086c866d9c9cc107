import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import { tupleRange } from '../tuple.ts';
import type { Migration } from './migration.ts';
import type { MigrationReader } from './upgrade-target.ts';

const CHECKS = ['definition', 'checks'];

/** Key prefix of declared namespaces, as this migration finds them. */
const NAMESPACES = 'namespace';

/** Maximum number of commands that a remedy lists; an operator with more checks writes a loop. */
const CHECKS_NAMED_MAX = 20;

interface CheckConfiguration {
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * Adds the namespace to each check configuration, and requires that the namespace exists (reference 9.3, 6.2.0).
 * Before, the namespace was part of the key alone, and a configuration stayed behind when its namespace was deleted.
 * Only an operator can say whether such a check or the missing namespace is the mistake. So the migration does not run
 * until the operator has decided.
 */
export const checkConfigurations: Migration = {
  version: 3,
  name: 'check configurations',
  prefixes: [CHECKS],
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
      if ((await store.get([NAMESPACES, namespace])) !== undefined) continue;
      orphans.push(orphaned(namespace, await checksOf(store, namespace)));
    }
    return orphans;
  },
};

/**
 * Yields each namespace of a check once. It jumps from one namespace to the next, whatever number of checks they have.
 */
async function* namespacesOfChecks(store: MigrationReader): AsyncGenerator<string, void, undefined> {
  const { gte, lt } = tupleRange(CHECKS);
  let from = gte;
  for (;;) {
    const [key] = await store.keys({ gte: from, lt }, 1);
    if (key === undefined) return;
    const namespace = String(key[2]);
    yield namespace;
    from = tupleRange([...CHECKS, namespace]).lt;
  }
}

async function checksOf(store: MigrationReader, namespace: string): Promise<string[]> {
  const keys = await store.keys(tupleRange([...CHECKS, namespace]), CHECKS_NAMED_MAX + 1);
  return keys.map((key) => String(key[3]));
}

/** Returns the obstacle, with the texts of reference 7 and the order of 9.3. */
function orphaned(namespace: string, checks: readonly string[]): UpgradeObstacle {
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
