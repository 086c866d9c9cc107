import type { ObjectName, UpgradeFacts } from '../../schemas/plan.ts';

/** The names of checks whose namespace does not exist, by that namespace. */
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

/** One command of the repair that the reference describes for checks without a namespace. */
export type NamespaceFix =
  | { readonly kind: 'create-namespace'; readonly namespace: string }
  | ({ readonly kind: 'delete-check' } & ObjectName)
  | { readonly kind: 'delete-namespace'; readonly namespace: string };

/**
 * Yields the repair for each missing namespace: create it, delete its checks, and delete it (reference 9.3, 6.2.0). A
 * check in a missing namespace cannot be addressed, so the namespace must exist before the check can be deleted.
 */
export function* namespaceFixes(orphans: Orphans): Generator<NamespaceFix, void, undefined> {
  for (const [namespace, checks] of orphans) {
    yield { kind: 'create-namespace', namespace };
    for (const name of checks) yield { kind: 'delete-check', namespace, name };
    yield { kind: 'delete-namespace', namespace };
  }
}

/**
 * Returns the shell command for a step of the repair.
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
