import { formatMebibytes } from '../../../shared/domain/byte-text.ts';
import {
  canCreateReserve,
  canCreateOpeningReserve,
  nextDiskLevel,
  openingReserveBytes,
  refusesGrowth,
  diskReserveBytes,
  type DiskLevel,
} from '../../../shared/domain/disk-space.ts';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock, Disk } from '../ports.ts';

/**
 * Grace period in milliseconds after results were rejected: agents need it to deliver their backlog. During this time a
 * missing new result does not prove that a check has stopped.
 */
const BACKLOG_MS = 30_000;

/**
 * Delay in milliseconds between the start and the creation of the reserve files, which are deleted to free space when
 * the disk is full. A backend that runs only briefly needs none, and a start has more urgent work.
 */
const SET_ASIDE_AFTER_MS = 30_000;
/** Delay until the next attempt to create the reserve files after an attempt failed, in milliseconds. */
const SET_ASIDE_RETRY_MS = 60_000;

interface DiskGuardOptions {
  /** The disk of the store. Undefined if it is unknown; then nothing is rejected for lack of space. */
  readonly disk: Disk | undefined;
  /**
   * Returns the setting `disk-floor` in bytes: the minimum of free space. A reload can change it. 0 if there is no
   * minimum.
   */
  readonly floorBytes: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Monitors the free disk space, and rejects writes that would fill the disk (reliability 8). */
export class DiskGuard {
  /** Number of free bytes on the disk at the last check; undefined if not known yet. */
  freeBytes: number | undefined;
  /**
   * Size of the reserve file, which is deleted when the disk is full, so that deletions and resolutions can still be
   * stored.
   */
  reservedBytes = 0;
  level: DiskLevel = 'ok';
  readonly #options: DiskGuardOptions;
  /** End of the grace period after results were rejected, in milliseconds of the monotonic clock. */
  #backlogUntilMs = 0;
  #setAsideAtMs: number;
  #hasLooked = false;

  constructor(options: DiskGuardOptions) {
    this.#options = options;
    this.#setAsideAtMs = options.clock.monotonic() + SET_ASIDE_AFTER_MS;
  }

  get floorBytes(): number {
    return this.#options.floorBytes();
  }

  get isRejectingGrowth(): boolean {
    return refusesGrowth(this.level);
  }

  /** True if new results are rejected, or were until recently. Then a missing result can be merely delayed. */
  get isAwaitingBacklog(): boolean {
    return this.isRejectingGrowth || this.#options.clock.monotonic() < this.#backlogUntilMs;
  }

  /**
   * Rejects an operation that adds data if the free space is below the floor. Call it before a result is accepted or an
   * object is created.
   *
   * @throws MonError `unavailable` below the floor
   */
  refuseGrowth(): void {
    if (!this.isRejectingGrowth) return;
    throw new MonError(
      'unavailable',
      `${this.describe()}; silences can still be cleared, events resolved and objects deleted`,
    );
  }

  /** Returns a text that states the free space and, if there is too little, what to do. */
  describe(): string {
    const { disk } = this.#options;
    const free = `the disk of ${disk?.dir ?? 'the store'} has ${formatMebibytes(this.freeBytes ?? 0)} free`;
    const floor = `the floor of ${formatMebibytes(this.floorBytes)} (disk-floor)`;
    if (this.level === 'ok') return free;
    if (this.level === 'low') return `${free}: at ${floor} new results are rejected; free some space`;
    return `${free}, less than ${floor}: new results and new entries are rejected; free some space`;
  }

  /** Checks the free disk space, and then creates or deletes the reserve files. The returned promise never rejects. */
  async checkFreeSpace(): Promise<void> {
    const { disk, clock } = this.#options;
    const free = await disk?.freeBytes();
    if (disk === undefined || free === undefined) return;
    const isStart = !this.#hasLooked;
    const wasRefusing = this.isRejectingGrowth;
    this.freeBytes = free;
    this.level = nextDiskLevel(this.#hasLooked ? this.level : undefined, free, this.floorBytes);
    this.#hasLooked = true;
    if (wasRefusing && !this.isRejectingGrowth) this.#backlogUntilMs = clock.monotonic() + BACKLOG_MS;
    try {
      await this.#tendOpeningReserve(disk, free, isStart);
      await this.#adjustReserveFile(disk, free);
    } catch (error) {
      this.#setAsideAtMs = clock.monotonic() + SET_ASIDE_RETRY_MS;
      this.#options.log.warn(
        { path: disk.dir, reason: errorMessage(error) },
        'could not create the reserve file, which is deleted to free space when the disk is full',
      );
    }
  }

  /**
   * Creates or deletes the reserve file whose space a start can use to open the store on a full disk. The file is
   * deleted if there is no disk floor. It is also deleted at a start with too little free space, before the store is
   * opened. Later it is created, or resized, if there is enough space.
   */
  async #tendOpeningReserve(disk: Disk, free: number, isStart: boolean): Promise<void> {
    const { clock, log } = this.#options;
    const size = openingReserveBytes(this.floorBytes);
    const reserved = await disk.reservedBytes('opening');
    if (reserved > 0 && (this.floorBytes === 0 || (isStart && free < size))) {
      await disk.releaseReserve('opening');
      log.warn(
        { path: disk.dir, bytes: reserved },
        'disk is full: the reserve file was deleted so that the store could be opened; free some space',
      );
      return;
    }
    if (clock.monotonic() < this.#setAsideAtMs || reserved === size) return;
    if (canCreateOpeningReserve(free + reserved, this.floorBytes)) await disk.reserve(size, 'opening');
  }

  async #adjustReserveFile(disk: Disk, free: number): Promise<void> {
    const { clock, log } = this.#options;
    this.reservedBytes = await disk.reservedBytes('running');
    if (this.reservedBytes > 0 && (this.level === 'reserve' || this.floorBytes === 0)) {
      await disk.releaseReserve('running');
      log.warn(
        { path: disk.dir, bytes: this.reservedBytes },
        'disk is full: the reserve file was deleted to keep the backend running; free some space',
      );
      this.reservedBytes = 0;
    }
    if (clock.monotonic() < this.#setAsideAtMs || this.level !== 'ok') return;
    const size = diskReserveBytes(this.floorBytes);
    if (this.reservedBytes === size || !canCreateReserve(free + this.reservedBytes, this.floorBytes)) return;
    await disk.reserve(size, 'running');
    this.reservedBytes = size;
  }
}
