import { createHash } from 'node:crypto';
import { auditHash } from '../../../../shared/domain/audit.ts';
import type { AuditEntry, AuditHead, AuditRecord } from '../../../../shared/schemas/audit.ts';

/** Limits of the audit trail. They are read for each record, because a reload of the configuration can change them. */
export interface AuditLimits {
  /** Maximum number of retained audit records. */
  readonly auditLimit: number;
}

/**
 * Maximum number of old records that are erased for one new record. After the limit was lowered, records are thus
 * erased gradually.
 */
const TRIM_MAX = 1000;

const EMPTY_HEAD: AuditHead = { first: 1, last: 0, hash: '', at: 0 };

/**
 * The head of the audit trail: the ids of its first and last record, and the hash of the last. It is needed to append a
 * record. The records themselves are only in the store.
 */
export class AuditChain {
  readonly #limits: AuditLimits;
  #head = EMPTY_HEAD;

  constructor(limits: AuditLimits) {
    this.#limits = limits;
  }

  get head(): AuditHead {
    return this.#head;
  }

  /** @param head the stored head; undefined if there was never a record */
  load(head: AuditHead | undefined): void {
    this.#head = head ?? EMPTY_HEAD;
  }

  /** Adds a record to the audit trail. @returns the record to be stored, and the ids of the old records to be erased */
  append(entry: AuditEntry, nowMs: number): { readonly record: AuditRecord; readonly trimmed: readonly number[] } {
    const { first, last, hash: previous, at } = this.#head;
    const id = last + 1;
    const unsealed = { id, at: Math.max(nowMs, at), ...entry, previous };
    const record = { ...unsealed, hash: auditHash(unsealed, sha256) };
    const kept = Math.min(Math.max(first, id - this.#limits.auditLimit + 1), first + TRIM_MAX);
    this.#head = { first: kept, last: id, hash: record.hash, at: record.at };
    return { record, trimmed: Array.from({ length: kept - first }, (_, index) => first + index) };
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
