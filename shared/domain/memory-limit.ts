const MEBIBYTE_BYTES = 1024 * 1024;

/** Memory available to a process, in bytes. */
export interface MemoryOfProcess {
  /** Heap limit of the JavaScript engine. */
  readonly heap: number;
  /** Memory of the host, or of the container in which the process runs. */
  readonly machine: number;
}

/**
 * Maximum shares of the heap and of the host's memory that the state can use. The rest of the heap is for current work,
 * and for a second copy of the state when it is read again after a failed write. The rest of the host's memory includes
 * the buffers of the store and of sockets.
 */
const HEAP_SHARE = 0.4;
const MACHINE_SHARE = 0.25;

/** Share of the heap above which the stored state is too large for a start: the backend would run out of memory. */
const START_SHARE = 0.8;

/**
 * Returns the memory limit of the state in bytes. Above it, new entries are rejected.
 *
 * @param settingMebibytes setting `memory-limit`; if undefined, the limit is a share of the available memory
 */
export function memoryLimit(settingMebibytes: number | undefined, { heap, machine }: MemoryOfProcess): number {
  if (settingMebibytes !== undefined) return settingMebibytes * MEBIBYTE_BYTES;
  return Math.floor(Math.min(heap * HEAP_SHARE, machine * MACHINE_SHARE));
}

/** Returns the maximum size in memory of a stored state with which a backend can start, in bytes. */
export function startMemoryLimit({ heap }: Pick<MemoryOfProcess, 'heap'>): number {
  return Math.floor(heap * START_SHARE);
}

/** Maximum memory for caches: a share of the unused part of the memory limit, and an absolute maximum. */
const SPARE_SHARE = 0.1;
const SPARE_BYTES_MAX = 64 * MEBIBYTE_BYTES;

/**
 * Returns the maximum memory for caches in bytes; 0 if the state has reached its memory limit.
 *
 * @param used bytes that the state uses
 * @param limit memory limit of the state in bytes
 */
export function spareMemory(used: number, limit: number): number {
  return Math.max(0, Math.min(SPARE_BYTES_MAX, Math.floor((limit - used) * SPARE_SHARE)));
}
