import type { AuditHead, AuditRecord } from '../schemas/audit.ts';

/** Maximum length of a text in `before` and `after` (the old and new value in an audit record), in characters. */
const TEXT_LENGTH_MAX = 512;

/** Maximum length of the JSON of `before` and of `after`, in characters. */
const VALUE_LENGTH_MAX = 48 * 1024;

/** Maximum length of the excerpt that replaces a value which is too long. */
const EXCERPT_LENGTH = 4096;

/** Computes the SHA-256 hash of a text in UTF-8, in hexadecimal digits. */
export type Sha256 = (text: string) => string;

/**
 * Returns the hash of an audit record. Its input is the hash of the previous record, followed by the other attributes
 * as JSON without blanks, with names in UTF-16 order. So a change to any earlier record changes the hash (security
 * S22).
 */
export function auditHash(record: Omit<AuditRecord, 'hash'>, sha256: Sha256): string {
  const { previous, ...attributes } = record;
  return sha256(previous + canonicalJson({ ...attributes, hash: undefined }));
}

/**
 * The id and hash of the record that must come next when the chain is verified from the newest record to the oldest.
 */
export type AuditLink = Pick<AuditHead, 'hash'> & { readonly id: number };

/**
 * Verifies one record of the audit chain.
 *
 * @param expected the id and hash that `record` must have
 * @returns the id and hash of the record before it, or the problem
 */
export function followAuditChain(
  expected: AuditLink,
  record: AuditRecord,
  sha256: Sha256,
): AuditLink | { readonly problem: string } {
  if (record.id !== expected.id) return { problem: `audit record ${String(expected.id)} is missing` };
  if (auditHash(record, sha256) !== expected.hash) {
    return { problem: `audit record ${String(record.id)} was changed after it was written` };
  }
  if (record.id === 1 && record.previous !== '')
    return { problem: 'audit record 1 refers to an earlier record, which cannot exist' };
  return { id: record.id - 1, hash: record.previous };
}

/** Shortens a value for storage: long texts are cut, and a value that is still too long is reduced to an excerpt. */
export function boundedAuditValue(value: unknown): unknown {
  const cut = withCutTexts(value);
  const text = JSON.stringify(cut) ?? 'null';
  return text.length <= VALUE_LENGTH_MAX ? cut : { cut: text.slice(0, EXCERPT_LENGTH).toWellFormed() };
}

/** Cuts a text for storage if it is too long; an ellipsis marks the cut. */
export function boundedAuditText(text: string): string {
  return text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX).toWellFormed()}…`;
}

function withCutTexts(value: unknown): unknown {
  if (typeof value === 'string') return boundedAuditText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withCutTexts);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withCutTexts(item)]));
}

/** Returns JSON that does not depend on the insertion order of attributes. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`);
  return `{${parts.join(',')}}`;
}
