import { formatMebibytes } from '../../../shared/domain/byte-text.ts';
import {
  canSetAside,
  canSetAsideForOpening,
  nextDiskLevel,
  openingReserveBytes,
  refusesGrowth,
  reserveBytes,
  type DiskLevel,
} from '../../../shared/domain/disk-space.ts';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock, Disk } from '../ports.ts';

/** After results were kept out their senders need a moment to deliver what they have: until then age means nothing. */
const QUIET_MS = 30_000;

/** A backend that was only started to see something needs no reserve, and a start has other things to do. */
const SET_ASIDE_AFTER_MS = 30_000;
/** Between two tries of a disk that refuses it. */
const SET_ASIDE_RETRY_MS = 60_000;

interface GuardParts {
  /** Undefined: nothing is known of the disk, and nothing is refused for it. */
  readonly disk: Disk | undefined;
  /** Asked each time, since a reload changes it; 0: never mind. */
  readonly floorBytes: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Knows how much room there is on the disk, and refuses what would use it up (reliability 8). */
export class DiskGuard {
  /** At the last look; undefined: nothing is known. */
  freeBytes: number | undefined;
  /** Set aside for what goes on when there is no room. */
  reservedBytes = 0;
  level: DiskLevel = 'ok';
  readonly #parts: GuardParts;
  /** On the monotonic clock. */
  #quietUntilMs = 0;
  #setAsideAtMs: number;
  #hasLooked = false;

  constructor(parts: GuardParts) {
    this.#parts = parts;
    this.#setAsideAtMs = parts.clock.monotonic() + SET_ASIDE_AFTER_MS;
  }

  get floorBytes(): number {
    return this.#parts.floorBytes();
  }

  get isRefusing(): boolean {
    return refusesGrowth(this.level);
  }

  /** Whether results may be old only because they are, or were, refused. */
  get isQuiet(): boolean {
    return this.isRefusing || this.#parts.clock.monotonic() < this.#quietUntilMs;
  }

  /**
   * Asked before a result is taken or something new is made.
   *
   * @throws MonError `unavailable` below the floor
   */
  refuseGrowth(): void {
    if (!this.isRefusing) return;
    throw new MonError('unavailable', `${this.describe()}; clearing, resolving and deleting still work`);
  }

  /** A sentence about the room there is, and what to do when it is too little. */
  describe(): string {
    const { disk } = this.#parts;
    const free = `the disk of ${disk?.dir ?? 'the store'} has ${formatMebibytes(this.freeBytes ?? 0)} free`;
    const floor = `the floor of ${formatMebibytes(this.floorBytes)} (disk-floor)`;
    if (this.level === 'ok') return free;
    if (this.level === 'low') return `${free}: at ${floor} new results are rejected; free some space`;
    return `${free}, less than ${floor}: new results and new entries are rejected; free some space`;
  }

  /** Looks at the disk, and gives out the reserve when it is needed. Never rejects. */
  async look(): Promise<void> {
    const { disk, clock } = this.#parts;
    const free = await disk?.freeBytes();
    if (disk === undefined || free === undefined) return;
    const isStart = !this.#hasLooked;
    const wasRefusing = this.isRefusing;
    this.freeBytes = free;
    this.level = nextDiskLevel(this.#hasLooked ? this.level : undefined, free, this.floorBytes);
    this.#hasLooked = true;
    if (wasRefusing && !this.isRefusing) this.#quietUntilMs = clock.monotonic() + QUIET_MS;
    try {
      await this.#tendOpeningReserve(disk, free, isStart);
      await this.#tendReserve(disk, free);
    } catch (error) {
      this.#setAsideAtMs = clock.monotonic() + SET_ASIDE_RETRY_MS;
      this.#parts.log.warn(
        { path: disk.dir, reason: errorMessage(error) },
        'reserve file for a full disk could not be created',
      );
    }
  }

  /** The reserve for a start is given out by a start alone, before the store is opened, and set aside again later. */
  async #tendOpeningReserve(disk: Disk, free: number, isStart: boolean): Promise<void> {
    const { clock, log } = this.#parts;
    const size = openingReserveBytes(this.floorBytes);
    const reserved = await disk.reservedBytes('opening');
    if (reserved > 0 && (this.floorBytes === 0 || (isStart && free < size))) {
      await disk.giveOut('opening');
      log.warn(
        { path: disk.dir, bytes: reserved },
        'disk is full, the store was opened with the space of the reserve file: free some space',
      );
      return;
    }
    if (clock.monotonic() < this.#setAsideAtMs || reserved === size) return;
    if (canSetAsideForOpening(free + reserved, this.floorBytes)) await disk.setAside(size, 'opening');
  }

  async #tendReserve(disk: Disk, free: number): Promise<void> {
    const { clock, log } = this.#parts;
    this.reservedBytes = await disk.reservedBytes('running');
    if (this.reservedBytes > 0 && (this.level === 'reserve' || this.floorBytes === 0)) {
      await disk.giveOut('running');
      log.warn(
        { path: disk.dir, bytes: this.reservedBytes },
        'disk is full, the space of the reserve file is in use: free some space',
      );
      this.reservedBytes = 0;
    }
    if (clock.monotonic() < this.#setAsideAtMs || this.level !== 'ok') return;
    const size = reserveBytes(this.floorBytes);
    if (this.reservedBytes === size || !canSetAside(free + this.reservedBytes, this.floorBytes)) return;
    await disk.setAside(size, 'running');
    this.reservedBytes = size;
  }
}
