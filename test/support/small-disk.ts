import type { Disk } from '../../daemon/backend/ports.ts';

/** A disk with as much room as a test says. */
export class SmallDisk implements Disk {
  readonly dir = '/var/lib/mon';
  free: number | undefined;
  reserved = 0;
  /** What was done to the reserve, in order. */
  readonly done: string[] = [];

  constructor(free?: number) {
    this.free = free;
  }

  freeBytes(): Promise<number | undefined> {
    return Promise.resolve(this.free);
  }

  reservedBytes(): Promise<number> {
    return Promise.resolve(this.reserved);
  }

  async setAside(bytes: number): Promise<void> {
    this.reserved = bytes;
    this.done.push(`set aside ${String(bytes)}`);
  }

  async giveOut(): Promise<void> {
    this.reserved = 0;
    this.done.push('given out');
  }
}
