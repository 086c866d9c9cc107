import type { ObjectName, UpgradeFacts } from '../../schemas/plan.ts';

/** Names of checks by their missing namespace. */
export type Orphans = ReadonlyMap<string, readonly string[]>;

/** Returns the checks whose namespace does not exist (reference 9.3, 6.2.0). */
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

/** One step of the fix in the reference. */
export type NamespaceFix =
  | { readonly kind: 'create-namespace'; readonly namespace: string }
  | ({ readonly kind: 'delete-check' } & ObjectName)
  | { readonly kind: 'delete-namespace'; readonly namespace: string };

/**
 * Yields the steps of the fix: recreate the missing namespace, delete its checks, delete the namespace (reference 9.3,
 * 6.2.0). A check in a missing namespace cannot be addressed, so the namespace must exist before the check can be
 * deleted.
 */
export function* namespaceFixes(orphans: Orphans): Generator<NamespaceFix, void, undefined> {
  for (const [namespace, checks] of orphans) {
    yield { kind: 'create-namespace', namespace };
    for (const name of checks) yield { kind: 'delete-check', namespace, name };
    yield { kind: 'delete-namespace', namespace };
  }
}

/**
 * Returns the command for a step.
 *
 * @param tool the command-line tool of the product
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
