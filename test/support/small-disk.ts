import type { Disk, ReserveUse } from '../../daemon/backend/ports.ts';

/** A simulated disk whose free space a test sets; `undefined` if it is unknown. */
export class SmallDisk implements Disk {
  readonly dir = '/var/lib/mon';
  free: number | undefined;
  reserved = 0;
  /** Size in bytes of the reserve for opening the store; `reserved` is the reserve for a running backend. */
  reservedForOpening = 0;
  /** Descriptions of the operations on the reserve for a running backend, in order. */
  readonly done: string[] = [];

  constructor(free?: number) {
    this.free = free;
  }

  freeBytes(): Promise<number | undefined> {
    return Promise.resolve(this.free);
  }

  reservedBytes(use: ReserveUse): Promise<number> {
    return Promise.resolve(use === 'opening' ? this.reservedForOpening : this.reserved);
  }

  async reserve(bytes: number, use: ReserveUse): Promise<void> {
    if (use === 'opening') {
      this.reservedForOpening = bytes;
      return;
    }
    this.reserved = bytes;
    this.done.push(`set aside ${String(bytes)}`);
  }

  async releaseReserve(use: ReserveUse): Promise<void> {
    if (use === 'opening') {
      this.reservedForOpening = 0;
      return;
    }
    this.reserved = 0;
    this.done.push('given out');
  }
}
