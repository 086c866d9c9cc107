import type { AuditHead, AuditRecord } from '../../../shared/schemas/audit.ts';
import type { Store } from '../ports.ts';
import { AUDIT_HEAD_KEY, auditKey } from '../model/audit/storage.ts';

/** Conditions that select audit records; all of them must hold. */
export interface AuditRange {
  /** Selects records with a greater id than this; undefined for no lower limit. */
  readonly after?: number | undefined;
  /** Selects records with a smaller id than this; undefined for no upper limit. */
  readonly before?: number | undefined;
  /** Selects records at or after this time in epoch milliseconds; undefined for no limit. */
  readonly sinceMs?: number | undefined;
}

/**
 * Returns the head of the committed audit trail: the ids of its first and last record, and the hash and time of the
 * last record.
 */
export async function readAuditHead(store: Store): Promise<AuditHead> {
  const [text] = await store.getMany([AUDIT_HEAD_KEY]);
  return text === undefined ? { first: 1, last: 0, hash: '', at: 0 } : (JSON.parse(text) as AuditHead);
}

/** Returns the ids of the committed audit records in a range, the newest first. */
export async function auditIds(store: Store, { after = 0, before = Infinity, sinceMs }: AuditRange): Promise<number[]> {
  const { first, last } = await readAuditHead(store);
  const from = Math.max(first, after + 1);
  const to = Math.min(last, before - 1);
  const oldest = sinceMs === undefined ? from : await firstRecordIdSince(store, from, to, sinceMs);
  return Array.from({ length: Math.max(0, to - oldest + 1) }, (_, index) => to - index);
}

/** Reads the audit records with these ids. Records that were deleted when the trail was trimmed are omitted. */
export async function readAudit(store: Store, ids: readonly number[]): Promise<AuditRecord[]> {
  const values = await store.getMany(ids.map(auditKey));
  return values.flatMap((value) => (value === undefined ? [] : [JSON.parse(value) as AuditRecord]));
}

/**
 * Returns the id of the first audit record in a range at or after `sinceMs`, or `to + 1` if there is none. A binary
 * search is possible, because the times of records never decrease.
 */
async function firstRecordIdSince(store: Store, from: number, to: number, sinceMs: number): Promise<number> {
  let low = from;
  let high = to + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [record] = await readAudit(store, [middle]);
    // A missing record was deleted during the search, so it was older than all remaining records.
    if (record === undefined || record.at < sinceMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
