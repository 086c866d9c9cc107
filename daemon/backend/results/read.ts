import { statusesOf } from '../../../shared/domain/history.ts';
import { checkRedactKeysOf, redact } from '../../../shared/domain/redact.ts';
import type { CheckResult, StoredResult } from '../../../shared/schemas/result.ts';
import type { Store } from '../ports.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../registry/namespace.ts';
import { readRecords } from '../events/read-records.ts';

/** Checks with a result, by client, then check. */
export function resultsOf(namespace: Namespace): CheckEntry[] {
  const results: CheckEntry[] = [];
  // A loop, because there may be a million.
  for (const client of namespace.sortedClients()) {
    for (const entry of client.sortedChecks()) if (entry.status !== undefined) results.push(entry);
  }
  return results;
}

export function resultsOfClient(client: ClientEntry): CheckEntry[] {
  return client.sortedChecks().filter(({ status }) => status !== undefined);
}

/**
 * The committed results of these checks, redacted; one that is gone by now is left out.
 *
 * @param shown a result as it is shown, by its namespace
 */
export async function readResults(
  store: Store,
  entries: readonly CheckEntry[],
  shown = (result: StoredResult, _namespace: string): StoredResult => result,
): Promise<StoredResult[]> {
  const results: StoredResult[] = [];
  for (const [entry, record] of await readRecords(store, entries)) {
    if (record.check === null) continue;
    const keys = checkRedactKeysOf(entry.client);
    const check = redact({ ...record.check, history: statusesOf(record.history) }, keys);
    results.push(shown({ client: entry.client.name, check }, entry.client.namespace.name));
  }
  return results;
}

/** An item of `GET /clients/:client/history` (legacy-peer, Clients). */
export interface CheckHistory {
  readonly check: string;
  readonly history: readonly number[];
  /** Epoch seconds. */
  readonly last_execution: number;
  readonly last_status: number;
  readonly last_result: CheckResult;
}

/** Of checks of one client. */
export async function readHistories(store: Store, entries: readonly CheckEntry[]): Promise<CheckHistory[]> {
  const histories: CheckHistory[] = [];
  for (const [entry, { check, history }] of await readRecords(store, entries)) {
    if (check === null) continue;
    histories.push({
      check: entry.name,
      history: statusesOf(history),
      last_execution: check.executed,
      last_status: check.status,
      last_result: redact(check, checkRedactKeysOf(entry.client)),
    });
  }
  return histories;
}
