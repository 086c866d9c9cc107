import { crc32c, masked } from './crc32c.ts';

/** LevelDB's log format, used by its write-ahead logs and its manifests (doc/log_format.md of LevelDB). */
const BLOCK_BYTES = 32_768;
/** Checksum (4), length (2), type (1). */
const HEADER_BYTES = 7;
const LENGTH_AT = 4;
const TYPE_AT = 6;
const FULL = 1;
const FIRST = 2;
const MIDDLE = 3;
const LAST = 4;

/** The unit that a disk writes atomically: after a power cut all of it is written or none. */
const SECTOR_BYTES = 512;

/** A range of bytes in a file. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface LogScan {
  /** The intact records, in order. */
  readonly records: readonly { readonly at: number; readonly payload: Buffer }[];
  /** Ranges that cannot be read and were once written whole. */
  readonly damaged: readonly ByteRange[];
  /** The rest of a write that a kill or a power cut interrupted at the end; it was never acknowledged. */
  readonly torn: ByteRange | undefined;
}

/**
 * Reads a log and verifies all its checksums. LevelDB does that too, but silently skips damaged records.
 *
 * An unreadable end counts as torn only if it looks like an interrupted write: the file ends within a record, or whole
 * sectors were never written. A last record with its full length and a wrong checksum is damage.
 */
export function scanLog(log: Buffer): LogScan {
  const records: { at: number; payload: Buffer }[] = [];
  const unreadable: (ByteRange & { readonly isCutOff: boolean })[] = [];
  let parts: Buffer[] = [];
  let startedAt: number | undefined;
  /** Marks a record that was begun and is not complete at `to` as unreadable. */
  const abandon = (to: number): void => {
    if (startedAt !== undefined) unreadable.push({ from: startedAt, to, isCutOff: to === log.length });
    startedAt = undefined;
    parts = [];
  };
  let at = 0;
  while (at < log.length) {
    const blockRemainder = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (blockRemainder < HEADER_BYTES) {
      at += blockRemainder;
      continue;
    }
    const fragment = fragmentAt(log, at);
    if (fragment === undefined) {
      // The length of the fragment cannot be trusted. As in LevelDB, continue with the next block, or with the next
      // certain fragment.
      const next = nextFragment(log, at) ?? Math.min(at + blockRemainder, log.length);
      const from = startedAt ?? at;
      startedAt = undefined;
      parts = [];
      unreadable.push({ from, to: next, isCutOff: next === log.length && endsWithin(log, at) });
      at = next;
      continue;
    }
    const { type, payload, end } = fragment;
    if (type === FULL || type === FIRST) {
      abandon(at);
      startedAt = at;
    }
    if (startedAt === undefined) unreadable.push({ from: at, to: end, isCutOff: false });
    else parts.push(payload);
    if (startedAt !== undefined && (type === FULL || type === LAST)) {
      records.push({ at: startedAt, payload: parts.length === 1 ? payload : Buffer.concat(parts) });
      startedAt = undefined;
      parts = [];
    }
    at = end;
  }
  abandon(log.length);
  return { records, ...sorted(log, records.at(-1)?.at ?? -1, unreadable) };
}

function sorted(
  log: Buffer,
  lastRecordAt: number,
  unreadable: readonly (ByteRange & { readonly isCutOff: boolean })[],
): Pick<LogScan, 'damaged' | 'torn'> {
  const spans = joined(unreadable);
  const last = spans.at(-1);
  if (last === undefined || last.from < lastRecordAt || last.to < log.length)
    return { damaged: spans, torn: undefined };
  const isTorn = unreadable.at(-1)?.isCutOff === true || hasUnwrittenSector(log, last);
  if (!isTorn) return { damaged: spans, torn: undefined };
  return { damaged: spans.slice(0, -1), torn: last };
}

function joined(spans: readonly ByteRange[]): ByteRange[] {
  const all: ByteRange[] = [];
  for (const { from, to } of spans) {
    const before = all.at(-1);
    if (before !== undefined && before.to >= from) all[all.length - 1] = { from: before.from, to };
    else all.push({ from, to });
  }
  return all;
}

interface Fragment {
  readonly type: number;
  readonly payload: Buffer;
  readonly end: number;
}

/** @returns undefined if there is no intact fragment */
function fragmentAt(log: Buffer, at: number): Fragment | undefined {
  const blockEnd = Math.min(at - (at % BLOCK_BYTES) + BLOCK_BYTES, log.length);
  if (at + HEADER_BYTES > blockEnd) return undefined;
  const type = log.readUInt8(at + TYPE_AT);
  if (type < FULL || type > LAST) return undefined;
  const end = at + HEADER_BYTES + log.readUInt16LE(at + LENGTH_AT);
  return end <= blockEnd && isIntact(log, at, end)
    ? { type, payload: log.subarray(at + HEADER_BYTES, end), end }
    : undefined;
}

/** True if the checksum, which covers type and payload, is correct. */
function isIntact(log: Buffer, at: number, end: number): boolean {
  return masked(crc32c(log.subarray(at + TYPE_AT, end))) === log.readUInt32LE(at);
}

/** Returns the position of the next certain fragment in the same block after `at`; undefined: there is none. */
function nextFragment(log: Buffer, at: number): number | undefined {
  const blockEnd = Math.min(at - (at % BLOCK_BYTES) + BLOCK_BYTES, log.length);
  for (let next = at + 1; next + HEADER_BYTES <= blockEnd; next++) {
    const type = log[next + TYPE_AT];
    if (type !== FULL && type !== FIRST && type !== MIDDLE && type !== LAST) continue;
    // An empty fragment would match in many places, and holds nothing.
    const length = log.readUInt16LE(next + LENGTH_AT);
    if (length > 0 && fragmentAt(log, next) !== undefined) return next;
  }
  return undefined;
}

/** True if the file ends before the fragment at `at` does, and not because its length was changed. */
function endsWithin(log: Buffer, at: number): boolean {
  if (at + HEADER_BYTES > log.length) return true;
  const end = at + HEADER_BYTES + log.readUInt16LE(at + LENGTH_AT);
  return end > log.length && !isIntact(log, at, log.length);
}

/** True if a sector is zero: a power cut may leave sectors that were allocated to a file and never written. */
function hasUnwrittenSector(log: Buffer, { from, to }: ByteRange): boolean {
  if (log.subarray(from, to).every((byte) => byte === 0)) return true;
  for (let at = Math.ceil(from / SECTOR_BYTES) * SECTOR_BYTES; at + SECTOR_BYTES <= to; at += SECTOR_BYTES) {
    if (log.subarray(at, at + SECTOR_BYTES).every((byte) => byte === 0)) return true;
  }
  return false;
}
