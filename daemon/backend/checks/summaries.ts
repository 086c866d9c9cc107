import { outputSummary } from '../../../shared/domain/event-row.ts';
import { statusesOf } from '../../../shared/domain/history.ts';
import { statusRank } from '../../../shared/domain/severity.ts';
import type { CheckOfClient, ClientCheck } from '../../../shared/schemas/check-summary.ts';
import type { Store } from '../ports.ts';
import type { CheckRecord } from '../model/events/check-record.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../model/registry/namespace.ts';
import { prepareSilences } from '../silences/event-preparation.ts';
import { readRecords } from '../model/events/read-records.ts';

/** Returns the entries with a result of one check, sorted by severity with the worst first, then by client name. */
export function resultsOfCheck(namespace: Namespace, check: string): CheckEntry[] {
  const entries = namespace.sortedClients().flatMap((client) => client.checks.get(check) ?? []);
  return entries.filter(({ status }) => status !== undefined).toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ status }: CheckEntry): number {
  return statusRank(status ?? 0);
}

/** Reads the committed results of one check on several clients, in the order of `entries`. */
export async function readChecksOfClients(
  store: Store,
  entries: readonly CheckEntry[],
  nowMs: number,
): Promise<CheckOfClient[]> {
  return (await readRecords(store, entries)).map(([entry, record]) => checkOfClient(entry, record, nowMs));
}

/**
 * Reads the full state of the checks of a client, sorted by check name.
 *
 * @param nextRunMs callback that returns the time of the next scheduled run of a check in epoch milliseconds; undefined
 *   if no run is scheduled
 */
export async function readChecksOf(
  store: Store,
  client: ClientEntry,
  nextRunMs: (check: string) => number | undefined,
  nowMs: number,
): Promise<ClientCheck[]> {
  await prepareSilences(client.sortedChecks());
  return (await readRecords(store, client.sortedChecks())).map(([entry, record]) =>
    checkOf(entry, record, nextRunMs(entry.name), nowMs),
  );
}

function checkOfClient(entry: CheckEntry, record: CheckRecord, nowMs: number): CheckOfClient {
  return {
    client: entry.client.name,
    ...lastResult(record),
    silenced: record.event !== undefined && entry.isSilenced(nowMs),
  };
}

function checkOf(entry: CheckEntry, record: CheckRecord, runMs: number | undefined, nowMs: number): ClientCheck {
  const interval = (record.check ?? record.eventCheck)?.['interval'];
  return {
    name: entry.name,
    ...lastResult(record),
    interval: typeof interval === 'number' ? interval : null,
    event: eventOf(entry, record, nowMs),
    next_run: runMs === undefined ? null : Math.floor(runMs / 1000),
  };
}

function lastResult({ check, eventCheck, history }: CheckRecord): Omit<CheckOfClient, 'client' | 'silenced'> {
  return {
    status: check?.status ?? null,
    executed: check?.executed ?? null,
    history: statusesOf(history),
    output: outputSummary((check ?? eventCheck)?.output ?? ''),
  };
}

function eventOf(entry: CheckEntry, { event }: CheckRecord, nowMs: number): ClientCheck['event'] {
  if (event === undefined) return null;
  const { id, action, status, occurrences } = event;
  return { id, action, status, occurrences, silenced_by: entry.silencedBy(nowMs) };
}
