import { MonError } from '../../../../shared/errors.ts';

/** Rejects new data while free disk space is low. */
export interface DiskLimit {
  /**
   * Throws while free disk space is low. Called before a result is accepted, and by a command before it creates an
   * object.
   *
   * @throws MonError `unavailable` that names the setting for the required free space
   */
  refuseGrowth(): void;
}

export const UNLIMITED_DISK: DiskLimit = { refuseGrowth: () => undefined };

/** Rejects new objects while memory is full. Updates of existing objects are not checked. */
export interface MemoryLimit {
  readonly isFull: boolean;
  /** Returns the error for a new object that is rejected; also counts the rejection and warns the operator. */
  refusal(): MonError;
  /**
   * Throws while memory is full. Called by a command before it creates an object.
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
