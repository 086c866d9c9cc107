import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { formatMebibytes } from '../../../shared/domain/byte-text.ts';
import {
  memoryLimit,
  spareMemory,
  startMemoryLimit,
  type MemoryOfProcess,
} from '../../../shared/domain/memory-limit.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { MemoryLimit } from '../model/transaction/resource-limits.ts';
import type { Clock } from '../ports.ts';

interface BudgetDependencies {
  /** Returns the number of bytes that the registry uses now. */
  readonly used: () => number;
  /**
   * Returns the setting `memory-limit` in MiB; undefined if it is not set. It is read each time, because a reload
   * changes it.
   */
  readonly setting: () => number | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The minimum interval between two warnings that new objects are rejected. */
const WARNING_INTERVAL_MS = 60_000;

/**
 * The memory limit of the registry. Above the limit new objects are rejected, and existing objects continue to work.
 * Other memory of the process, such as that of requests in progress, has limits of its own.
 */
export class MemoryBudget implements MemoryLimit {
  /** The number of objects that were rejected since the start. */
  refusals = 0;
  readonly #parts: BudgetDependencies;
  readonly #process: MemoryOfProcess = memoryOfProcess();
  /** Time of the last warning, in milliseconds of the monotonic clock. */
  #lastWarningMs = -Infinity;

  constructor(parts: BudgetDependencies) {
    this.#parts = parts;
  }

  get usedBytes(): number {
    return this.#parts.used();
  }

  get limitBytes(): number {
    return memoryLimit(this.#parts.setting(), this.#process);
  }

  /** The maximum number of bytes for caches: a share of the memory that remains below the limit. */
  get spareBytes(): number {
    return spareMemory(this.usedBytes, this.limitBytes);
  }

  get isFull(): boolean {
    return this.usedBytes >= this.limitBytes;
  }

  refuseGrowth(): void {
    if (this.isFull) throw this.refusal();
  }

  refusal(): MonError {
    const { clock, log } = this.#parts;
    this.refusals++;
    const error = new MonError('no_memory', `${this.describe()}; existing clients, checks and silences still work`);
    if (clock.monotonic() - this.#lastWarningMs >= WARNING_INTERVAL_MS) {
      this.#lastWarningMs = clock.monotonic();
      log.warn({ used_bytes: this.usedBytes, limit_bytes: this.limitBytes, rejected: this.refusals }, this.describe());
    }
    return error;
  }

  /** Returns a sentence about the memory use. If the limit is reached, it contains the remedy. */
  describe(): string {
    const used = formatMebibytes(this.usedBytes);
    const limit = formatMebibytes(this.limitBytes);
    if (!this.isFull) return `${used} of ${limit} of memory are used (memory-limit)`;
    return (
      `${used} of memory are used, and the limit is ${limit} (memory-limit): new objects are rejected; ` +
      'delete clients or silences, or raise memory-limit'
    );
  }
}

/**
 * Returns a function that aborts the start if the store needs more memory than the process can use. The function is
 * called with the number of bytes that the objects read so far use in memory.
 *
 * @returns a function that throws MonError `invalid` if the bytes exceed the limit
 */
export function startupMemoryGuard(): (bytes: number) => void {
  // The limit is computed only once, because the returned function is called for every record.
  const limit = startMemoryLimit(memoryOfProcess());
  return (bytes) => {
    if (bytes <= limit) return;
    throw new MonError(
      'invalid',
      `the store needs more memory than this process can use (over ${formatMebibytes(limit)}): ` +
        'delete clients with mon-backend prune, or give the process more memory: NODE_OPTIONS=--max-old-space-size=MIB',
    );
  };
}

function memoryOfProcess(): MemoryOfProcess {
  const machine = totalmem();
  // `constrainedMemory` is the limit of the container. Without a limit it is zero or larger than the memory of the
  // machine.
  const constrained = process.constrainedMemory();
  return {
    heap: getHeapStatistics().heap_size_limit,
    machine: constrained > 0 && constrained < machine ? constrained : machine,
  };
}
