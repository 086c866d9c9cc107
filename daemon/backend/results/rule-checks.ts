import type { Batcher } from '../commit/batcher.ts';
import { removeCheck } from '../model/events/mutations.ts';
import type { Results } from './commands.ts';
import { resolveEvent } from './resolve-event.ts';

/** User name that is recorded when an event is resolved and a result deleted because its rule is gone. */
const BACKEND_USER = 'mon';

/** The result of a rule in the configuration, which the backend evaluates as a check. */
export interface RuleResult {
  readonly namespace: string;
  readonly check: string;
  readonly status: number;
  readonly output: string;
  /** Seconds between two results of the rule. */
  readonly interval: number;
  /** Further attributes of the result from the rule. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The namespace and the name of a check whose rule was removed. */
export type GoneCheck = readonly [namespace: string, check: string];

/** Submits the results of rules as results of the checks of a client. */
export async function submitRuleResults(
  results: Pick<Results, 'submitBackendResult'>,
  client: string,
  due: readonly RuleResult[],
): Promise<void> {
  await Promise.all(
    due.map(({ namespace, check, status, output, interval, attributes }) =>
      results.submitBackendResult(namespace, client, {
        ...attributes,
        name: check,
        output,
        status,
        interval,
        // `standalone` prevents a check definition of the same name from being merged with the result. The empty
        // `aggregates` keeps the result out of all aggregates.
        standalone: true,
        aggregates: [],
      }),
    ),
  );
}

/** Resolves the events of these checks, which notifies their handlers, and removes the results of the checks. */
export async function removeRuleChecks(batcher: Batcher, client: string, checks: readonly GoneCheck[]): Promise<void> {
  if (checks.length === 0) return;
  await batcher.run(
    (transaction) => {
      for (const [namespace, check] of checks) {
        const entry = transaction.registry.findNamespace(namespace)?.check(client, check);
        if (entry?.state.event !== undefined) resolveEvent(transaction, entry, BACKEND_USER);
        if (entry !== undefined) removeCheck(transaction, entry, BACKEND_USER);
      }
    },
    {
      weight: checks.length,
      needs: (registry) =>
        checks.flatMap(([namespace, check]) => registry.findNamespace(namespace)?.check(client, check) ?? []),
    },
  );
}
