/**
 * Levels of free disk space (reliability 8), from best to worst:
 *
 * - `low`: a warning, since space will soon be insufficient
 * - `refusing`: below the floor; new results and entries are rejected, but expiry, resolution and deletion continue
 * - `reserve`: the reserved space is released, so that these continue on a full disk
 */
export const DISK_LEVELS = ['ok', 'low', 'refusing', 'reserve'] as const;
export type DiskLevel = (typeof DISK_LEVELS)[number];

const MEBIBYTE = 1024 * 1024;

/**
 * Write buffer of the store, which holds entries that are not yet sorted into a file; 32 MiB keep 200,000 keys fast.
 */
const WRITE_BUFFER = { minBytes: MEBIBYTE, maxBytes: 32 * MEBIBYTE };

/**
 * The reserve in write buffers. To open, a store writes out its log, which is as long as its write buffer. Then it may
 * sort four or more files of that size at once, with older sorted files. It deletes the inputs only when the new files
 * are written.
 */
const RESERVE_BUFFERS = 8;
const RESERVE_BYTES_MAX = RESERVE_BUFFERS * WRITE_BUFFER.maxBytes;

/** Multiple of the floor from which free space is sufficient. */
const ENOUGH = 2;

/**
 * Hysteresis: a level ends only when free space exceeds its limit by this factor, so that freed space is not used up at
 * once.
 */
const MARGIN = 1.1;

/** Returns the size of the reserve. Even with it released, the disk stays below the floor. */
export function reserveBytes(floorBytes: number): number {
  return Math.min(RESERVE_BYTES_MAX, Math.floor(floorBytes / 2));
}

/**
 * Returns the size of the reserve for a start: the store can still open after the other reserve is used up and the disk
 * is full again. Two unsorted logs become tables before they are deleted.
 */
export function openingReserveBytes(floorBytes: number): number {
  return floorBytes === 0 ? 0 : 2 * writeBufferBytes(floorBytes) + OPENING_FILES_BYTES;
}

/** Size of the manifest and a new log. */
const OPENING_FILES_BYTES = 4 * MEBIBYTE;

/** Whether there is enough space to create the reserve for a start, with a margin for running on without a restart. */
export function canSetAsideForOpening(freeBytes: number, floorBytes: number): boolean {
  return freeBytes >= 1.5 * openingReserveBytes(floorBytes);
}

/** Returns the size of the write buffer, small enough that the reserve always suffices to open the store. */
export function writeBufferBytes(floorBytes: number): number {
  if (floorBytes === 0) return WRITE_BUFFER.maxBytes;
  const share = Math.floor(reserveBytes(floorBytes) / RESERVE_BUFFERS);
  return Math.max(WRITE_BUFFER.minBytes, Math.min(WRITE_BUFFER.maxBytes, share));
}

/**
 * @param previous undefined at the start
 * @param freeBytes space that an unprivileged user may still use, without the reserves
 * @param floorBytes 0: no limit
 */
export function nextDiskLevel(previous: DiskLevel | undefined, freeBytes: number, floorBytes: number): DiskLevel {
  if (floorBytes === 0) return 'ok';
  const level = levelOf(freeBytes, floorBytes);
  if (previous === undefined || rank(level) >= rank(previous)) return level;
  // Releasing the reserve created this free space.
  if (previous === 'reserve' && freeBytes < floorBytes) return previous;
  return levelOf(freeBytes / MARGIN, floorBytes);
}

/** Whether there is enough space to create the reserve (again) and stay at level `ok`. */
export function canSetAside(freeBytes: number, floorBytes: number): boolean {
  return levelOf(freeBytes - reserveBytes(floorBytes), floorBytes) === 'ok';
}

export function refusesGrowth(level: DiskLevel): boolean {
  return rank(level) >= rank('refusing');
}

/** Returns the status of the disk check: warning, or critical once writes are rejected. */
export function diskStatus(level: DiskLevel): 0 | 1 | 2 {
  if (level === 'ok') return 0;
  return level === 'low' ? 1 : 2;
}

function levelOf(freeBytes: number, floorBytes: number): DiskLevel {
  if (freeBytes < reserveBytes(floorBytes)) return 'reserve';
  if (freeBytes < floorBytes) return 'refusing';
  return freeBytes < ENOUGH * floorBytes ? 'low' : 'ok';
}

const rank = (level: DiskLevel): number => DISK_LEVELS.indexOf(level);
