import type { AuditHead, AuditRecord } from '../../../shared/schemas/audit.ts';
import type { Store } from '../ports.ts';
import { AUDIT_HEAD_KEY, auditKey } from '../model/audit/storage.ts';

/** The range of requested records; all conditions must hold. */
export interface AuditRange {
  /** Only records with a greater id. */
  readonly after?: number | undefined;
  /** Only records with a smaller id. */
  readonly before?: number | undefined;
  /** Only records from this time on, epoch milliseconds. */
  readonly sinceMs?: number | undefined;
}

/** Returns the begin and the end of the committed trail. */
export async function readAuditHead(store: Store): Promise<AuditHead> {
  const [text] = await store.getMany([AUDIT_HEAD_KEY]);
  return text === undefined ? { first: 1, last: 0, hash: '', at: 0 } : (JSON.parse(text) as AuditHead);
}

/** Returns the ids of the committed records in a range, the newest first. */
export async function auditIds(store: Store, { after = 0, before = Infinity, sinceMs }: AuditRange): Promise<number[]> {
  const { first, last } = await readAuditHead(store);
  const from = Math.max(first, after + 1);
  const to = Math.min(last, before - 1);
  const oldest = sinceMs === undefined ? from : await firstSince(store, from, to, sinceMs);
  return Array.from({ length: Math.max(0, to - oldest + 1) }, (_, index) => to - index);
}

/** Returns the records with these ids; trimmed ones are omitted. */
export async function readAudit(store: Store, ids: readonly number[]): Promise<AuditRecord[]> {
  const values = await store.getMany(ids.map(auditKey));
  return values.flatMap((value) => (value === undefined ? [] : [JSON.parse(value) as AuditRecord]));
}

/** Finds the first record since a time by binary search, because the times of the records never go back. */
async function firstSince(store: Store, from: number, to: number, sinceMs: number): Promise<number> {
  let low = from;
  let high = to + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [record] = await readAudit(store, [middle]);
    // A record that was trimmed meanwhile is older than all that are left.
    if (record === undefined || record.at < sinceMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
