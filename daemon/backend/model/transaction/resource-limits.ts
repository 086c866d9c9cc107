import { MonError } from '../../../../shared/errors.ts';

/** Rejects new data if free disk space is low. */
export interface DiskLimit {
  /**
   * Throws if free disk space is low. Called before a result is accepted, and by a command before it creates an object.
   *
   * @throws MonError `unavailable` that names the setting for the required free space
   */
  refuseGrowth(): void;
}

export const UNLIMITED_DISK: DiskLimit = { refuseGrowth: () => undefined };

/** Rejects new objects if memory is full. It is not checked for updates of existing objects. */
export interface MemoryLimit {
  readonly isFull: boolean;
  /** Returns the error for a new object that is rejected. Also counts the rejection and warns the operator. */
  refusal(): MonError;
  /**
   * Throws if memory is full. Called by a command before it creates an object.
   *
   * @throws MonError `no_memory` that names the setting for the memory limit
   */
  refuseGrowth(): void;
}

export const UNLIMITED_MEMORY: MemoryLimit = {
  isFull: false,
  refusal: () => new MonError('no_memory', 'the memory limit of the backend is reached: new objects are rejected'),
  refuseGrowth: () => undefined,
};
