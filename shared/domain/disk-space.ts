/**
 * Levels of free disk space (reliability 8), from best to worst:
 *
 * - `low`: warns that space will soon be insufficient
 * - `refusing`: free space is below `disk-floor`. New data is rejected; expiry, resolution and deletion continue
 * - `reserve`: the disk is nearly full. The reserved space is released for expiry, resolution and deletion
 */
export const DISK_LEVELS = ['ok', 'low', 'refusing', 'reserve'] as const;
export type DiskLevel = (typeof DISK_LEVELS)[number];

const MEBIBYTE_BYTES = 1024 * 1024;

/**
 * Size of the write buffer of the store (LevelDB). It contains the newest entries, before they are sorted into a file.
 * With 32 MiB, a store with 200,000 keys stays fast.
 */
const WRITE_BUFFER = { minBytes: MEBIBYTE_BYTES, maxBytes: 32 * MEBIBYTE_BYTES };

/**
 * Size of the reserved disk space as a number of write buffers. When a store is opened, it writes out its log, which is
 * as long as one write buffer. Then it can merge four or more files of that size with older files. It deletes the input
 * files only when the new files are complete.
 */
const RESERVE_BUFFERS = 8;
const RESERVE_BYTES_MAX = RESERVE_BUFFERS * WRITE_BUFFER.maxBytes;

/** Free space is sufficient from this multiple of `disk-floor` on. */
const SUFFICIENT_FLOOR_FACTOR = 2;

/**
 * Hysteresis: a level ends only when free space exceeds the limit of that level by this factor. Otherwise freed space
 * would be used up at once.
 */
const RECOVERY_FACTOR = 1.1;

/**
 * Returns the size of the reserved disk space in bytes. It is at most half of `disk-floor`: releasing it must not
 * raise free space above the floor, which would accept new data again.
 */
export function diskReserveBytes(floorBytes: number): number {
  return Math.min(RESERVE_BYTES_MAX, Math.floor(floorBytes / 2));
}

/**
 * Returns the size in bytes of the second reserve. It lets the store open when the backend starts on a full disk and
 * the first reserve is used up. It has room for two logs that are rewritten as sorted files before they are deleted.
 */
export function openingReserveBytes(floorBytes: number): number {
  return floorBytes === 0 ? 0 : 2 * writeBufferBytes(floorBytes) + OPENING_FILES_BYTES;
}

/** Size of the manifest and a new log of the store. */
const OPENING_FILES_BYTES = 4 * MEBIBYTE_BYTES;

/**
 * Whether there is enough free space to create the second reserve, which lets the store open on a full disk. A margin
 * remains for the running backend.
 */
export function canCreateOpeningReserve(freeBytes: number, floorBytes: number): boolean {
  return freeBytes >= 1.5 * openingReserveBytes(floorBytes);
}

/** Returns the size of the store's write buffer in bytes: so small that the reserve suffices to open the store. */
export function writeBufferBytes(floorBytes: number): number {
  if (floorBytes === 0) return WRITE_BUFFER.maxBytes;
  const share = Math.floor(diskReserveBytes(floorBytes) / RESERVE_BUFFERS);
  return Math.max(WRITE_BUFFER.minBytes, Math.min(WRITE_BUFFER.maxBytes, share));
}

/**
 * Returns the next level of free disk space.
 *
 * @param previous the previous level; undefined when the backend starts
 * @param freeBytes free space for unprivileged users, without the reserves
 * @param floorBytes the setting `disk-floor` in bytes; with 0, the level is always `ok`
 */
export function nextDiskLevel(previous: DiskLevel | undefined, freeBytes: number, floorBytes: number): DiskLevel {
  if (floorBytes === 0) return 'ok';
  const level = levelOf(freeBytes, floorBytes);
  if (previous === undefined || rankOfLevel(level) >= rankOfLevel(previous)) return level;
  // The released reserve is part of this free space.
  if (previous === 'reserve' && freeBytes < floorBytes) return previous;
  return levelOf(freeBytes / RECOVERY_FACTOR, floorBytes);
}

/** Whether the first reserve can be created (again) and the level is still `ok` afterward. */
export function canCreateReserve(freeBytes: number, floorBytes: number): boolean {
  return levelOf(freeBytes - diskReserveBytes(floorBytes), floorBytes) === 'ok';
}

export function refusesGrowth(level: DiskLevel): boolean {
  return rankOfLevel(level) >= rankOfLevel('refusing');
}

/** Returns the status of the disk check: warning, or critical once writes are rejected. */
export function diskStatus(level: DiskLevel): 0 | 1 | 2 {
  if (level === 'ok') return 0;
  return level === 'low' ? 1 : 2;
}

function levelOf(freeBytes: number, floorBytes: number): DiskLevel {
  if (freeBytes < diskReserveBytes(floorBytes)) return 'reserve';
  if (freeBytes < floorBytes) return 'refusing';
  return freeBytes < SUFFICIENT_FLOOR_FACTOR * floorBytes ? 'low' : 'ok';
}

const rankOfLevel = (level: DiskLevel): number => DISK_LEVELS.indexOf(level);
