import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { formatMebibytes } from '../../../shared/domain/byte-text.ts';
import { memoryLimit, spareMemory, startLimit, type MemoryOfProcess } from '../../../shared/domain/memory-limit.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { MemoryRoom } from '../commit/room.ts';
import type { Clock } from '../ports.ts';

interface BudgetParts {
  /** What is known takes so many bytes now. */
  readonly used: () => number;
  /** `memory-limit`, MiB; asked each time, since a reload changes it. */
  readonly setting: () => number | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Interval of the warning that new objects are rejected. */
const SAID_EVERY_MS = 60_000;

/**
 * How much memory what is known may take: beyond it nothing new is taken, and what is there goes on. What a process has
 * in hand besides, such as requests under way, has limits of its own.
 */
export class MemoryBudget implements MemoryRoom {
  /** What was refused so far. */
  refusals = 0;
  readonly #parts: BudgetParts;
  readonly #process: MemoryOfProcess = memoryOfProcess();
  /** On the monotonic clock. */
  #saidMs = -Infinity;

  constructor(parts: BudgetParts) {
    this.#parts = parts;
  }

  get usedBytes(): number {
    return this.#parts.used();
  }

  get limitBytes(): number {
    return memoryLimit(this.#parts.setting(), this.#process);
  }

  /** Bytes for what merely saves time. */
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
    if (clock.monotonic() - this.#saidMs >= SAID_EVERY_MS) {
      this.#saidMs = clock.monotonic();
      log.warn({ used_bytes: this.usedBytes, limit_bytes: this.limitBytes, rejected: this.refusals }, this.describe());
    }
    return error;
  }

  /** A sentence about the memory there is, and what to do when it is too little. */
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
 * Refuses a start that would not come to its end.
 *
 * @returns told how many bytes what was read of the store so far takes; throws MonError `invalid` when they are too
 * many
 */
export function startGuard(): (bytes: number) => void {
  // Asked once: the guard is told of every record.
  const limit = startLimit(memoryOfProcess());
  return (bytes) => {
    if (bytes <= limit) return;
    throw new MonError(
      'invalid',
      `the store needs more memory than this process can use (over ${formatMebibytes(limit)}): remove what is not ` +
        'needed with mon-backend prune, or give the process more: NODE_OPTIONS=--max-old-space-size=MIB',
    );
  };
}

function memoryOfProcess(): MemoryOfProcess {
  const machine = totalmem();
  // Zero, or more than there is, where there is no such limit.
  const constrained = process.constrainedMemory();
  return {
    heap: getHeapStatistics().heap_size_limit,
    machine: constrained > 0 && constrained < machine ? constrained : machine,
  };
}
