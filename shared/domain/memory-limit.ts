const MEBIBYTE = 1024 * 1024;

/** Memory available to a process, in bytes. */
export interface MemoryOfProcess {
  /** Heap limit of the JavaScript engine. */
  readonly heap: number;
  /** Memory of the machine, or of the container that the process runs in. */
  readonly machine: number;
}

/**
 * Shares of the available memory that the state may use. The rest of the heap is for current work, and for a second
 * copy of the state while it is read again after a failed write. The rest of the machine's memory includes the buffers
 * of the store and of sockets.
 */
const HEAP_SHARE = 0.4;
const MACHINE_SHARE = 0.25;

/** Share of the heap that the stored state may fill when the backend starts; with more, it would run out of memory. */
const START_SHARE = 0.8;

/**
 * Returns the memory in bytes that the state may use before new entries are rejected.
 *
 * @param settingMebibytes setting `memory-limit`; undefined: the limit is a share of the available memory
 */
export function memoryLimit(settingMebibytes: number | undefined, { heap, machine }: MemoryOfProcess): number {
  if (settingMebibytes !== undefined) return settingMebibytes * MEBIBYTE;
  return Math.floor(Math.min(heap * HEAP_SHARE, machine * MACHINE_SHARE));
}

/** Returns the maximum memory of the stored state, in bytes, with which a backend can start. */
export function startLimit({ heap }: Pick<MemoryOfProcess, 'heap'>): number {
  return Math.floor(heap * START_SHARE);
}

/** Maximum memory for caches: a share of the memory that the state may use but does not, and an absolute limit. */
const SPARE_SHARE = 0.1;
const SPARE_BYTES_MAX = 64 * MEBIBYTE;

/**
 * Returns the maximum memory for caches in bytes; 0 if the state uses all that it may.
 *
 * @param used bytes that the state uses
 * @param limit bytes that the state may use
 */
export function spareMemory(used: number, limit: number): number {
  return Math.max(0, Math.min(SPARE_BYTES_MAX, Math.floor((limit - used) * SPARE_SHARE)));
}
