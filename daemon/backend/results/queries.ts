import { statusesOf } from '../../../shared/domain/history.ts';
import { checkRedactKeysOf, hasKeyRedactedByDefault, hasOwnRedactKeys, redact } from '../../../shared/domain/redact.ts';
import type { CheckResult, StoredResult } from '../../../shared/schemas/result.ts';
import type { Listing } from '../http/list.ts';
import type { Store } from '../ports.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../model/registry/namespace.ts';
import { decodeCheckRecord, splitCheckRecord, type CheckRecord } from '../model/events/check-record.ts';
import { readRecords, readRecordTexts } from '../model/events/read-records.ts';

/**
 * Returns the checks of these namespaces that have a result, sorted by client, then check. A page is found by the
 * number of results of each client, so its cost grows with the number of clients and not with the number of results.
 */
export function resultListing(namespaces: readonly Namespace[]): Listing<CheckEntry> {
  return {
    length: namespaces.reduce((sum, namespace) => sum + resultCountOf(namespace), 0),
    slice: (start, end) => sliceOfResults(namespaces, start, end),
  };
}

function resultCountOf({ results: { ok, warning, critical, unknown } }: Namespace): number {
  return ok + warning + critical + unknown;
}

function sliceOfResults(namespaces: readonly Namespace[], start: number, end: number): CheckEntry[] {
  const entries: CheckEntry[] = [];
  let at = 0;
  // Loops instead of array methods, because there can be a million results.
  for (const namespace of namespaces) {
    for (const client of namespace.sortedClients()) {
      if (at >= end) return entries;
      if (at + client.resultCount <= start) {
        at += client.resultCount;
        continue;
      }
      for (const entry of client.sortedChecks()) {
        if (entry.status === undefined) continue;
        if (at >= start && at < end) entries.push(entry);
        at += 1;
      }
    }
  }
  return entries;
}

export function resultsOfClient(client: ClientEntry): CheckEntry[] {
  return client.sortedChecks().filter(({ status }) => status !== undefined);
}

/**
 * Reads the stored results of these checks, with secrets redacted. Checks without a result are omitted.
 *
 * @param shown converts a result for the response; called with the result and the name of its namespace
 */
export async function readResults(
  store: Store,
  entries: readonly CheckEntry[],
  shown = (result: StoredResult, _namespace: string): StoredResult => result,
): Promise<StoredResult[]> {
  return (await readRecords(store, entries)).flatMap(([entry, record]) => {
    const result = resultOf(entry, record);
    return result === undefined ? [] : shown(result, entry.client.namespace.name);
  });
}

/**
 * Reads the same results as `readResults`, as JSON texts. It is much faster, because a result without secrets is copied
 * from the store without being parsed.
 */
export async function readResultTexts(store: Store, entries: readonly CheckEntry[]): Promise<string[]> {
  return (await readRecordTexts(store, entries)).flatMap(([entry, text]) => {
    const resultText = textOf(entry, text);
    if (resultText !== undefined) return resultText;
    const result = resultOf(entry, decodeCheckRecord(text));
    return result === undefined ? [] : JSON.stringify(result);
  });
}

function resultOf({ client }: CheckEntry, { check, history }: CheckRecord): StoredResult | undefined {
  if (check === null) return undefined;
  const shown = redact({ ...check, history: statusesOf(history) }, checkRedactKeysOf(client));
  return { client: client.name, check: shown };
}

/**
 * Returns the JSON text of a result, composed from the stored text of its check record.
 *
 * @returns undefined if the record must be parsed: it possibly has no result, or something in it must be redacted or
 *   replaced
 */
function textOf({ client }: CheckEntry, text: string): string | undefined {
  if (hasOwnRedactKeys(client)) return undefined;
  const record = splitCheckRecord(text);
  if (record === undefined || !record.check.startsWith('{')) return undefined;
  if (hasKeyRedactedByDefault(record.check) || HISTORY_KEY.test(record.check)) return undefined;
  const history = JSON.stringify(statusesOf(record.state.history));
  return `{"client":${JSON.stringify(client.name)},"check":${record.check.slice(0, -1)},"history":${history}}}`;
}

const HISTORY_KEY = /"history":/;

/** An item of `GET /clients/:client/history` (legacy-peer, Clients). */
export interface ResultHistory {
  readonly check: string;
  readonly history: readonly number[];
  /** Time of the last execution, in epoch seconds. */
  readonly last_execution: number;
  readonly last_status: number;
  readonly last_result: CheckResult;
}

/** Reads the status histories of these checks of one client. Checks without a result are omitted. */
export async function readHistories(store: Store, entries: readonly CheckEntry[]): Promise<ResultHistory[]> {
  const histories: ResultHistory[] = [];
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
