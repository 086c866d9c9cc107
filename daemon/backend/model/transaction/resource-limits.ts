import { MonError } from '../../../../shared/errors.ts';

/** Rejects growth when disk space is low. */
export interface DiskLimit {
  /**
   * Called before a result is accepted, and by a command before it creates something new.
   *
   * @throws MonError `unavailable`, with the setting for the required free space
   */
  refuseGrowth(): void;
}

export const UNLIMITED_DISK: DiskLimit = { refuseGrowth: () => undefined };

/** Rejects new objects when memory is full; known objects are updated without a check. */
export interface MemoryLimit {
  readonly isFull: boolean;
  /** Counts a rejection, and warns the operator. */
  refusal(): MonError;
  /** @throws MonError `no_memory`, with the setting for the memory limit */
  refuseGrowth(): void;
}

export const UNLIMITED_MEMORY: MemoryLimit = {
  isFull: false,
  refusal: () => new MonError('no_memory', 'the memory limit of the backend is reached: new objects are rejected'),
  refuseGrowth: () => undefined,
};
