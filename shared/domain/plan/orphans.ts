import type { ObjectName, UpgradeFacts } from '../../schemas/plan.ts';

/** The names of checks whose namespace does not exist, by the name of the missing namespace. */
export type Orphans = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the checks whose namespace does not exist (reference 9.3, 6.2.0); undefined if namespaces or checks are
 * unknown.
 */
export function orphansOf({ namespaces, checks }: Pick<UpgradeFacts, 'namespaces' | 'checks'>): Orphans | undefined {
  if (namespaces === undefined || checks === undefined) return undefined;
  const existingNamespaces = new Set(namespaces);
  const orphans = Map.groupBy(
    checks.filter(({ namespace }) => !existingNamespaces.has(namespace)),
    ({ namespace }) => namespace,
  );
  return new Map(
    [...orphans]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([namespace, orphanChecks]) => [namespace, orphanChecks.map(({ name }) => name).toSorted()]),
  );
}

/** One command of the repair for checks whose namespace does not exist. */
export type NamespaceFix =
  | { readonly kind: 'create-namespace'; readonly namespace: string }
  | ({ readonly kind: 'delete-check' } & ObjectName)
  | { readonly kind: 'delete-namespace'; readonly namespace: string };

/**
 * Yields the repair for each missing namespace: create the namespace, delete its checks, delete the namespace again
 * (reference 9.3, 6.2.0). The API can only delete a check if its namespace exists.
 */
export function* namespaceFixes(orphans: Orphans): Generator<NamespaceFix, void, undefined> {
  for (const [namespace, checks] of orphans) {
    yield { kind: 'create-namespace', namespace };
    for (const name of checks) yield { kind: 'delete-check', namespace, name };
    yield { kind: 'delete-namespace', namespace };
  }
}

/**
 * Returns the shell command for one step of the repair of missing namespaces.
 *
 * @param tool name of the command-line tool of the product
 */
export function fixCommand(fix: NamespaceFix, tool = 'monctl'): string {
  switch (fix.kind) {
    case 'create-namespace':
      return `${tool} namespace create ${fix.namespace}`;
    case 'delete-check':
      return `${tool} check delete ${fix.name} --namespace ${fix.namespace} --skip-confirm`;
    default:
      return `${tool} namespace delete ${fix.namespace} --skip-confirm`;
  }
}
