import { crc32c, maskChecksum } from './crc32c.ts';

/**
 * Size of a block in the log format of LevelDB, which write-ahead logs and manifests use (doc/log_format.md of
 * LevelDB).
 */
const BLOCK_BYTES = 32_768;
/** Size of the header of a fragment: checksum (4 bytes), length (2 bytes), type (1 byte). */
const HEADER_BYTES = 7;
const LENGTH_OFFSET = 4;
const TYPE_OFFSET = 6;
const FULL_FRAGMENT = 1;
const FIRST_FRAGMENT = 2;
const MIDDLE_FRAGMENT = 3;
const LAST_FRAGMENT = 4;

/** Size of a disk sector, which a disk writes atomically: after a power cut it is written completely or not at all. */
const SECTOR_BYTES = 512;

/** A range of bytes in a file, from `from` (included) to `to` (excluded). */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface LogScan {
  /** The intact records in order; `at` is the position of a record in the file. */
  readonly records: readonly { readonly at: number; readonly payload: Buffer }[];
  /** Ranges that cannot be read although they were once written completely. */
  readonly damaged: readonly ByteRange[];
  /**
   * The unreadable end of the log, if a kill or a power cut interrupted the last write; that write was never
   * acknowledged. Undefined if no write was interrupted.
   */
  readonly torn: ByteRange | undefined;
}

/**
 * Reads a log and verifies all its checksums. LevelDB does that too, but silently skips damaged records.
 *
 * An unreadable end counts as torn only if it looks like an interrupted write: the file ends within a record, or whole
 * sectors were never written. A last record that has its full length but a wrong checksum counts as damage.
 */
export function scanLog(log: Buffer): LogScan {
  const records: { at: number; payload: Buffer }[] = [];
  const unreadable: (ByteRange & { readonly isCutOff: boolean })[] = [];
  let parts: Buffer[] = [];
  let startedAt: number | undefined;
  /** Adds the current record to `unreadable`, if it was begun and is still incomplete at position `to`. */
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
    const fragment = readFragment(log, at);
    if (fragment === undefined) {
      // The length of a damaged fragment cannot be trusted. Continue with the next intact fragment in the block if
      // there is one, otherwise, like LevelDB, with the next block.
      const next = nextFragment(log, at) ?? Math.min(at + blockRemainder, log.length);
      const from = startedAt ?? at;
      startedAt = undefined;
      parts = [];
      unreadable.push({ from, to: next, isCutOff: next === log.length && endsWithin(log, at) });
      at = next;
      continue;
    }
    const { type, payload, end } = fragment;
    if (type === FULL_FRAGMENT || type === FIRST_FRAGMENT) {
      abandon(at);
      startedAt = at;
    }
    if (startedAt === undefined) unreadable.push({ from: at, to: end, isCutOff: false });
    else parts.push(payload);
    if (startedAt !== undefined && (type === FULL_FRAGMENT || type === LAST_FRAGMENT)) {
      records.push({ at: startedAt, payload: parts.length === 1 ? payload : Buffer.concat(parts) });
      startedAt = undefined;
      parts = [];
    }
    at = end;
  }
  abandon(log.length);
  return { records, ...classifyUnreadable(log, records.at(-1)?.at ?? -1, unreadable) };
}

function classifyUnreadable(
  log: Buffer,
  lastRecordAt: number,
  unreadable: readonly (ByteRange & { readonly isCutOff: boolean })[],
): Pick<LogScan, 'damaged' | 'torn'> {
  const spans = joinRanges(unreadable);
  const last = spans.at(-1);
  if (last === undefined || last.from < lastRecordAt || last.to < log.length)
    return { damaged: spans, torn: undefined };
  const isTorn = unreadable.at(-1)?.isCutOff === true || hasUnwrittenSector(log, last);
  if (!isTorn) return { damaged: spans, torn: undefined };
  return { damaged: spans.slice(0, -1), torn: last };
}

function joinRanges(spans: readonly ByteRange[]): ByteRange[] {
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

/** Returns the fragment at position `at`; undefined if there is no intact fragment. */
function readFragment(log: Buffer, at: number): Fragment | undefined {
  const blockEnd = Math.min(at - (at % BLOCK_BYTES) + BLOCK_BYTES, log.length);
  if (at + HEADER_BYTES > blockEnd) return undefined;
  const type = log.readUInt8(at + TYPE_OFFSET);
  if (type < FULL_FRAGMENT || type > LAST_FRAGMENT) return undefined;
  const end = at + HEADER_BYTES + log.readUInt16LE(at + LENGTH_OFFSET);
  return end <= blockEnd && isIntact(log, at, end)
    ? { type, payload: log.subarray(at + HEADER_BYTES, end), end }
    : undefined;
}

/** True if the fragment from `at` to `end` has the correct checksum, which is computed over its type and payload. */
function isIntact(log: Buffer, at: number, end: number): boolean {
  return maskChecksum(crc32c(log.subarray(at + TYPE_OFFSET, end))) === log.readUInt32LE(at);
}

/** Returns the position of the next intact fragment in the same block after `at`; undefined if there is none. */
function nextFragment(log: Buffer, at: number): number | undefined {
  const blockEnd = Math.min(at - (at % BLOCK_BYTES) + BLOCK_BYTES, log.length);
  for (let next = at + 1; next + HEADER_BYTES <= blockEnd; next++) {
    const type = log[next + TYPE_OFFSET];
    if (type !== FULL_FRAGMENT && type !== FIRST_FRAGMENT && type !== MIDDLE_FRAGMENT && type !== LAST_FRAGMENT)
      continue;
    // Empty fragments are skipped: they contain no data, and other bytes can look like one by chance.
    const length = log.readUInt16LE(next + LENGTH_OFFSET);
    if (length > 0 && readFragment(log, next) !== undefined) return next;
  }
  return undefined;
}

/**
 * True if the file ends before the fragment at `at` does. False if all bytes up to the end of the file match the
 * checksum: then the fragment is complete, and only its length is damaged.
 */
function endsWithin(log: Buffer, at: number): boolean {
  if (at + HEADER_BYTES > log.length) return true;
  const end = at + HEADER_BYTES + log.readUInt16LE(at + LENGTH_OFFSET);
  return end > log.length && !isIntact(log, at, log.length);
}

/**
 * True if a whole sector of a range, or the whole range, consists of zeros. After a power cut, a file can contain
 * allocated sectors that were never written.
 */
function hasUnwrittenSector(log: Buffer, { from, to }: ByteRange): boolean {
  if (log.subarray(from, to).every((byte) => byte === 0)) return true;
  for (let at = Math.ceil(from / SECTOR_BYTES) * SECTOR_BYTES; at + SECTOR_BYTES <= to; at += SECTOR_BYTES) {
    if (log.subarray(at, at + SECTOR_BYTES).every((byte) => byte === 0)) return true;
  }
  return false;
}
