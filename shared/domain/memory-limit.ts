const MEBIBYTE = 1024 * 1024;

/** Memory available to a process, in bytes. */
export interface MemoryOfProcess {
  /** Heap limit of the JavaScript engine. */
  readonly heap: number;
  /** Memory of the machine, or of the container that the process runs in. */
  readonly machine: number;
}

/**
 * Shares of available memory for the state. The heap briefly holds state twice when it is read again after a failed
 * write, and current work needs memory too. The machine also holds the buffers of the store and of sockets.
 */
const HEAP_SHARE = 0.4;
const MACHINE_SHARE = 0.25;

/** Share of the heap that the state may fill at a start; beyond it the process would run out of memory. */
const START_SHARE = 0.8;

/**
 * Returns the memory that the state may use before new entries are rejected.
 *
 * @param settingMebibytes `memory-limit`; undefined: a share of the available memory
 */
export function memoryLimit(settingMebibytes: number | undefined, { heap, machine }: MemoryOfProcess): number {
  if (settingMebibytes !== undefined) return settingMebibytes * MEBIBYTE;
  return Math.floor(Math.min(heap * HEAP_SHARE, machine * MACHINE_SHARE));
}

/** Returns the maximum memory of the stored state with which a start can complete. */
export function startLimit({ heap }: Pick<MemoryOfProcess, 'heap'>): number {
  return Math.floor(heap * START_SHARE);
}

/** Share of the unused memory that caches may use, and their absolute maximum. */
const SPARE_SHARE = 0.1;
const SPARE_BYTES_MAX = 64 * MEBIBYTE;

/**
 * Returns the maximum memory for caches; 0 if there is none to spare.
 *
 * @param used bytes that the state uses
 * @param limit bytes that the state may use
 */
export function spareMemory(used: number, limit: number): number {
  return Math.max(0, Math.min(SPARE_BYTES_MAX, Math.floor((limit - used) * SPARE_SHARE)));
}
