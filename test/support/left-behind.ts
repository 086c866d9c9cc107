import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describeProcess, processesWithVariable, startedMs } from './processes.ts';

/** How long processes that were told to end, or were killed, may take to be gone. */
const ENDING_MS = 5000;

/** A timer or a process is not noted to the millisecond. */
const CLOCK_TICK_MS = 20;

/** A test that has begun, in the order in which they did. */
export interface BegunTest {
  readonly name: string;
  readonly startMs: number;
}

/**
 * The temporary directory of a worker. Programs that tests start find it in their environment, and pass it on to those that
 * they start themselves, so that it marks the processes of this worker as well as its files.
 */
export class WorkerFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    mkdirSync(path, { recursive: true });
    process.env['TMPDIR'] = path;
  }

  /**
   * Removes what the tests of a file have left behind.
   *
   * @throws Error that names the processes and files, each with the test during which it was made
   */
  async clear(tests: readonly BegunTest[]): Promise<void> {
    process.env['TMPDIR'] = this.#path;
    const processes = await this.#processesLeft();
    const left = processes.map((pid) => `process ${describeProcess(pid)}, of ${testAt(tests, startedMs(pid))}`);
    for (const pid of processes) killIfThere(pid);
    for (const name of readdirSync(this.#path)) {
      const file = join(this.#path, name);
      left.push(`file ${name}, of ${testAt(tests, statSync(file).birthtimeMs)}`);
      rmSync(file, { recursive: true, force: true });
    }
    if (left.length > 0) throw new Error(`left behind:\n${left.join('\n')}`);
  }

  async #processesLeft(): Promise<readonly number[]> {
    const endMs = performance.now() + ENDING_MS;
    for (;;) {
      const pids = processesWithVariable(`TMPDIR=${this.#path}`);
      if (pids.length === 0 || performance.now() > endMs) return pids;
      await delay(CLOCK_TICK_MS);
    }
  }
}

function testAt(tests: readonly BegunTest[], ms: number): string {
  const test = tests.findLast(({ startMs }) => startMs <= ms + CLOCK_TICK_MS);
  return test === undefined ? 'no test' : `"${test.name}"`;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
