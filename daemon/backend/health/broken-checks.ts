import type { BrokenCheck } from '../../../shared/domain/backend-conditions.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Definitions, NamedCheck } from '../model/config/definitions.ts';
import { readRecords } from '../model/events/read-records.ts';
import type { Store } from '../ports.ts';
import type { CheckEntry, Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';

export interface BrokenCheckDependencies {
  readonly registry: Registry;
  readonly definitions: Pick<Definitions, 'inNamespace'>;
  readonly schedule: { nextRunMs(namespace: string, check: string): number | undefined };
  readonly store: Store;
}

/**
 * `CLIENTS_MAX`: maximum number of clients per subscription that are searched for a result of a check. `RECORDS_MAX`:
 * maximum number of stored records that are read per measurement.
 */
const CLIENTS_MAX = 20;
const RECORDS_MAX = 50;

/**
 * Pattern for the output of a check that did not run, because the client lacks attributes for its tokens (reference
 * 2.3).
 */
const UNMATCHED_TOKEN_OUTPUT = /^unmatched (?:check )?token/i;

/**
 * Returns the scheduled checks that cannot run. It reads stored results only of checks whose results all have the
 * status unknown.
 */
export async function findBrokenChecks(parts: BrokenCheckDependencies): Promise<readonly BrokenCheck[]> {
  const broken: BrokenCheck[] = [];
  const suspects: { readonly name: string; readonly entry: CheckEntry }[] = [];
  for (const namespaceName of parts.registry.declared.names()) {
    const namespace = parts.registry.namespace(namespaceName);
    for (const check of parts.definitions.inNamespace(namespaceName).checks()) {
      if (check.standalone === true || check.publish === false) continue;
      const name = namespaceName === DEFAULT_NAMESPACE ? check.name : `${namespaceName}/${check.name}`;
      const problem = problemOf(parts, namespace, check);
      if (problem !== undefined) broken.push({ name, problem });
      else if (suspects.length < RECORDS_MAX) {
        const entry = unknownResult(namespace, check);
        if (entry !== undefined) suspects.push({ name, entry });
      }
    }
  }
  if (suspects.length === 0) return broken;
  const nameOf = new Map<object, string>(suspects.map(({ name, entry }) => [entry, name]));
  for (const [entry, { check }] of await readRecords(
    parts.store,
    suspects.map(({ entry: suspect }) => suspect),
  )) {
    const name = nameOf.get(entry);
    if (name !== undefined && check !== null && UNMATCHED_TOKEN_OUTPUT.test(check.output))
      broken.push({ name, problem: check.output });
  }
  return broken;
}

function problemOf({ schedule }: BrokenCheckDependencies, namespace: Namespace, check: NamedCheck): string | undefined {
  if (schedule.nextRunMs(namespace.name, check.name) === undefined) return 'its schedule has no next run';
  const subscriptions = check.subscribers ?? [];
  if (!subscriptions.some((subscription) => hasAny(namespace.subscribersOf(subscription)))) {
    return `no client has the ${subscriptions.length === 1 ? 'subscription' : 'subscriptions'} ${subscriptions.join(', ')}`;
  }
  const { ok, warning, critical, unknown } = namespace.resultsByCheck.countsOfCheck(check.name);
  if (ok + warning + critical + unknown > 0) return undefined;
  // A check with a cron schedule, a check that is subdued, or a proxy check without a matching client can have no
  // result although it works.
  if (check.interval === undefined || check.subdue !== undefined || check.proxy_requests !== undefined)
    return undefined;
  if (check.command !== undefined || check.extension === undefined) return undefined;
  return `no client has sent a result: agents may not know the extension ${check.extension}`;
}

/** Returns the entry of one result of a check if all its results have the status unknown; otherwise undefined. */
function unknownResult(namespace: Namespace, check: NamedCheck): CheckEntry | undefined {
  const { ok, warning, critical, unknown } = namespace.resultsByCheck.countsOfCheck(check.name);
  if (unknown === 0 || ok + warning + critical > 0) return undefined;
  for (const subscription of check.subscribers ?? []) {
    let seen = 0;
    for (const client of namespace.subscribersOf(subscription)) {
      const entry = client.checks.get(check.name);
      if (entry?.status !== undefined) return entry;
      if (++seen >= CLIENTS_MAX) break;
    }
  }
  return undefined;
}

function hasAny(items: Iterable<unknown>): boolean {
  for (const _ of items) return true;
  return false;
}
