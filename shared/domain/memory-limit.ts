const MEBIBYTE = 1024 * 1024;

/** What a process may use, in bytes. */
export interface MemoryOfProcess {
  /** Of the heap, by the engine. */
  readonly heap: number;
  /** Of the machine, or of the container that the process runs in. */
  readonly machine: number;
}

/**
 * Of the heap: what is read again after a failed write is there twice for a moment, and work under way needs its part.
 * Of the machine: besides the heap there are the buffers of the store and of sockets.
 */
const HEAP_SHARE = 0.4;
const MACHINE_SHARE = 0.25;

/** Part of the heap that what is known may fill at a start; beyond it the process would not live to see its end. */
const START_SHARE = 0.8;

/**
 * The most memory that what is known may take before nothing new is taken.
 *
 * @param settingMebibytes `memory-limit`; undefined: a share of what the process may use
 */
export function memoryLimit(settingMebibytes: number | undefined, { heap, machine }: MemoryOfProcess): number {
  if (settingMebibytes !== undefined) return settingMebibytes * MEBIBYTE;
  return Math.floor(Math.min(heap * HEAP_SHARE, machine * MACHINE_SHARE));
}

/** The most that what is stored may take for a start to come to its end. */
export function startLimit({ heap }: Pick<MemoryOfProcess, 'heap'>): number {
  return Math.floor(heap * START_SHARE);
}

/** What merely saves time may take this part of the memory that what is known leaves, and never more than so much. */
const SPARE_SHARE = 0.1;
const SPARE_BYTES_MAX = 64 * MEBIBYTE;

/**
 * The most memory that what merely saves time may take; 0: there is none to spare.
 *
 * @param used bytes that what is known takes
 * @param limit bytes that it may take
 */
export function spareMemory(used: number, limit: number): number {
  return Math.max(0, Math.min(SPARE_BYTES_MAX, Math.floor((limit - used) * SPARE_SHARE)));
}
