/**
 * How a backend does with the room on its disk (reliability 8), from well to worst:
 *
 * - `low`: soon it will be too little, which is said
 * - `refusing`: below the floor; new results and new entries are refused, what ends, resolves or deletes goes on
 * - `reserve`: the space that was set aside is given out, so that these go on although there is none
 */
export const DISK_LEVELS = ['ok', 'low', 'refusing', 'reserve'] as const;
export type DiskLevel = (typeof DISK_LEVELS)[number];

const MEBIBYTE = 1024 * 1024;

/** Memory of the store for what is not yet sorted into a file; 32 MiB keep 200,000 keys fast. */
const WRITE_BUFFER = { minBytes: MEBIBYTE, maxBytes: 32 * MEBIBYTE };

/**
 * To be opened, a store writes out its log, which is as long as its write buffer. Then it may sort four and more files of
 * that size at once, with some of those sorted before, and only deletes them when the new ones are written.
 */
const RESERVE_BUFFERS = 8;
const RESERVE_BYTES_MAX = RESERVE_BUFFERS * WRITE_BUFFER.maxBytes;

/** At so many floors there is enough. */
const ENOUGH = 2;

/** So much more than the limit of a level must be free until it is left again: what is freed must not be used up at once. */
const MARGIN = 1.1;

/** What is set aside: with it given out, the disk is still below the floor. */
export function reserveBytes(floorBytes: number): number {
  return Math.min(RESERVE_BYTES_MAX, Math.floor(floorBytes / 2));
}

/**
 * What is set aside for a start alone: with the reserve used up and the disk full again, the store can still be opened.
 * Two logs that were not sorted yet become tables before they are deleted.
 */
export function openingReserveBytes(floorBytes: number): number {
  return floorBytes === 0 ? 0 : 2 * writeBufferBytes(floorBytes) + OPENING_FILES_BYTES;
}

/** The manifest and a new log. */
const OPENING_FILES_BYTES = 4 * MEBIBYTE;

/** Whether there is room to set aside what a start needs, and some more for what goes on without a restart. */
export function canSetAsideForOpening(freeBytes: number, floorBytes: number): boolean {
  return freeBytes >= 1.5 * openingReserveBytes(floorBytes);
}

/** How much memory the store may fill before it sorts, so that the reserve is always enough to open it. */
export function writeBufferBytes(floorBytes: number): number {
  if (floorBytes === 0) return WRITE_BUFFER.maxBytes;
  const share = Math.floor(reserveBytes(floorBytes) / RESERVE_BUFFERS);
  return Math.max(WRITE_BUFFER.minBytes, Math.min(WRITE_BUFFER.maxBytes, share));
}

/**
 * @param previous undefined at the start
 * @param freeBytes what an ordinary user may still write, without what is set aside
 * @param floorBytes 0: never mind
 */
export function nextDiskLevel(previous: DiskLevel | undefined, freeBytes: number, floorBytes: number): DiskLevel {
  if (floorBytes === 0) return 'ok';
  const level = levelOf(freeBytes, floorBytes);
  if (previous === undefined || rank(level) >= rank(previous)) return level;
  // Giving out the reserve is what made this room.
  if (previous === 'reserve' && freeBytes < floorBytes) return previous;
  return levelOf(freeBytes / MARGIN, floorBytes);
}

/** Whether there is room to set the reserve aside (again), and all is well with it. */
export function canSetAside(freeBytes: number, floorBytes: number): boolean {
  return levelOf(freeBytes - reserveBytes(floorBytes), floorBytes) === 'ok';
}

export function refusesGrowth(level: DiskLevel): boolean {
  return rank(level) >= rank('refusing');
}

/** The status of the check that tells of it: warning, or critical once something is refused. */
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
