/**
 * Levels of free disk space (reliability 8), from best to worst:
 *
 * - `low`: a warning, since space will soon be insufficient
 * - `refusing`: below the floor; new results and entries are rejected, but expiry, resolution and deletion continue
 * - `reserve`: the reserved space is released, so that expiry, resolution and deletion continue on a full disk
 */
export const DISK_LEVELS = ['ok', 'low', 'refusing', 'reserve'] as const;
export type DiskLevel = (typeof DISK_LEVELS)[number];

const MEBIBYTE = 1024 * 1024;

/**
 * Size of the write buffer of the store, which contains entries that are not yet sorted into a file. With 32 MiB,
 * 200,000 keys stay fast.
 */
const WRITE_BUFFER = { minBytes: MEBIBYTE, maxBytes: 32 * MEBIBYTE };

/**
 * Size of the reserve as a number of write buffers. To open, a store writes out its log, which is as long as its write
 * buffer. Then it may sort four or more files of that size at once, with older sorted files. It deletes the input files
 * only when the new files are written.
 */
const RESERVE_BUFFERS = 8;
const RESERVE_BYTES_MAX = RESERVE_BUFFERS * WRITE_BUFFER.maxBytes;

/** Multiple of the floor from which on free space is sufficient. */
const ENOUGH = 2;

/**
 * Hysteresis: a level ends only when free space exceeds the limit of that level by this factor, so that freed space is
 * not used up at once.
 */
const MARGIN = 1.1;

/**
 * Returns the size of the reserve in bytes. It is at most half the floor, so that releasing it does not end the
 * rejection.
 */
export function reserveBytes(floorBytes: number): number {
  return Math.min(RESERVE_BYTES_MAX, Math.floor(floorBytes / 2));
}

/**
 * Returns the size in bytes of the second reserve, which is for a start: with it the store can open after the first
 * reserve is used up and the disk is full again. It has room for two unsorted logs that become tables before they are
 * deleted.
 */
export function openingReserveBytes(floorBytes: number): number {
  return floorBytes === 0 ? 0 : 2 * writeBufferBytes(floorBytes) + OPENING_FILES_BYTES;
}

/** Size of the manifest and a new log of the store. */
const OPENING_FILES_BYTES = 4 * MEBIBYTE;

/**
 * Whether there is enough space to create the reserve for a start, with a margin so that the backend can continue to
 * run.
 */
export function canSetAsideForOpening(freeBytes: number, floorBytes: number): boolean {
  return freeBytes >= 1.5 * openingReserveBytes(floorBytes);
}

/** Returns the size of the write buffer in bytes, small enough that the reserve always suffices to open the store. */
export function writeBufferBytes(floorBytes: number): number {
  if (floorBytes === 0) return WRITE_BUFFER.maxBytes;
  const share = Math.floor(reserveBytes(floorBytes) / RESERVE_BUFFERS);
  return Math.max(WRITE_BUFFER.minBytes, Math.min(WRITE_BUFFER.maxBytes, share));
}

/**
 * Returns the next level of free disk space.
 *
 * @param previous undefined at the start
 * @param freeBytes space that an unprivileged user may still use, without the reserves
 * @param floorBytes 0: no limit
 */
export function nextDiskLevel(previous: DiskLevel | undefined, freeBytes: number, floorBytes: number): DiskLevel {
  if (floorBytes === 0) return 'ok';
  const level = levelOf(freeBytes, floorBytes);
  if (previous === undefined || rank(level) >= rank(previous)) return level;
  // The released reserve is part of this free space.
  if (previous === 'reserve' && freeBytes < floorBytes) return previous;
  return levelOf(freeBytes / MARGIN, floorBytes);
}

/** Whether there is enough space to create the first reserve (again) and stay at level `ok`. */
export function canCreateReserve(freeBytes: number, floorBytes: number): boolean {
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
