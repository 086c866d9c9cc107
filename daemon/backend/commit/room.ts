import { MonError } from '../../../shared/errors.ts';

/** Whether there is room for more than there is. */
export interface Room {
  /**
   * Asked before a result is taken, and by a command before it makes something new.
   *
   * @throws MonError `unavailable`, with the setting that says how much room must be left
   */
  refuseGrowth(): void;
}

export const ENDLESS_ROOM: Room = { refuseGrowth: () => undefined };

/** Whether there is memory for more than is known: what is known goes on without asking. */
export interface MemoryRoom {
  readonly isFull: boolean;
  /** Counts what is refused, and tells the operator. */
  refusal(): MonError;
  /** @throws MonError `no_memory`, with the setting that says how much may be used */
  refuseGrowth(): void;
}

export const ENDLESS_MEMORY: MemoryRoom = {
  isFull: false,
  refusal: () => new MonError('no_memory', 'new objects are rejected'),
  refuseGrowth: () => undefined,
};
