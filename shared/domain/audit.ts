import type { AuditHead, AuditRecord } from '../schemas/audit.ts';

/** Characters kept of a text in `before` and `after`. */
const TEXT_LENGTH_MAX = 512;

/** Characters of JSON kept of `before` and of `after`. */
const VALUE_LENGTH_MAX = 48 * 1024;

/** What is shown of a value that is longer. */
const EXCERPT_LENGTH = 4096;

/** SHA-256 of a text in UTF-8, in hexadecimal digits. */
export type Sha256 = (text: string) => string;

/**
 * The hash of a record: of the hash before it, followed by the rest of the record as JSON without blanks, the names of
 * every object in the order of their UTF-16 units. So each record vouches for all before it (security S22).
 */
export function auditHash(record: Omit<AuditRecord, 'hash'>, sha256: Sha256): string {
  const { previous, ...rest } = record;
  return sha256(previous + canonicalJson({ ...rest, hash: undefined }));
}

/** The record that a walk from the newest to the oldest meets next. */
export type AuditLink = Pick<AuditHead, 'hash'> & { readonly id: number };

/**
 * One step of that walk.
 *
 * @param expected the record that `record` has to be
 * @returns what the one before it has to be, or what is wrong
 */
export function followAuditChain(
  expected: AuditLink,
  record: AuditRecord,
  sha256: Sha256,
): AuditLink | { readonly problem: string } {
  if (record.id !== expected.id) return { problem: `record ${String(expected.id)} is missing` };
  if (auditHash(record, sha256) !== expected.hash) {
    return { problem: `record ${String(record.id)} is not what it was when it was written` };
  }
  if (record.id === 1 && record.previous !== '') return { problem: 'record 1 follows another one' };
  return { id: record.id - 1, hash: record.previous };
}

/** A value short enough to be kept: long texts are cut, and of what is too long as a whole only the beginning stays. */
export function boundedAuditValue(value: unknown): unknown {
  const cut = withCutTexts(value);
  const text = JSON.stringify(cut) ?? 'null';
  return text.length <= VALUE_LENGTH_MAX ? cut : { cut: text.slice(0, EXCERPT_LENGTH).toWellFormed() };
}

/** A text short enough to be kept; what was cut off is marked by an ellipsis. */
export function boundedAuditText(text: string): string {
  return text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX).toWellFormed()}…`;
}

function withCutTexts(value: unknown): unknown {
  if (typeof value === 'string') return boundedAuditText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withCutTexts);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withCutTexts(item)]));
}

/** JSON whose text does not depend on the order in which an object got its attributes. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`);
  return `{${parts.join(',')}}`;
}
