import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describeProcess, processesWithVariable, startedMs } from './processes.ts';

/** Maximum time in milliseconds to wait for processes that are ending. */
const ENDING_MS = 5000;

/** Name of the directory for the access tokens of test backends, which must not mix with those of the user. */
const RUNTIME = 'run';

/** Tolerance in milliseconds when the start times of processes and files are compared with those of tests. */
const CLOCK_TICK_MS = 20;

/** A test that was started. Lists of these are in the order of their start. */
export interface BegunTest {
  readonly name: string;
  readonly startMs: number;
}

/**
 * The temporary directory of a vitest worker. Programs that its tests start inherit the path in their environment, so
 * the path identifies the processes of this worker as well as its files.
 */
export class WorkerFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    mkdirSync(join(path, RUNTIME), { recursive: true });
    this.#use();
  }

  /**
   * Kills the processes and removes the files that the tests of a file have left behind.
   *
   * @throws Error that lists these processes and files, each with the test that created it
   */
  async clear(tests: readonly BegunTest[]): Promise<void> {
    this.#use();
    const processes = await this.#processesLeft();
    const left = processes.map((pid) => `process ${describeProcess(pid)}, of ${testAt(tests, startedMs(pid))}`);
    for (const pid of processes) killIfThere(pid);
    for (const name of readdirSync(this.#path)) {
      if (name === RUNTIME) continue;
      const file = join(this.#path, name);
      left.push(`file ${name}, of ${testAt(tests, statSync(file).birthtimeMs)}`);
      rmSync(file, { recursive: true, force: true });
    }
    // A killed backend leaves its access token, and a later backend may get the same port.
    rmSync(join(this.#path, RUNTIME), { recursive: true, force: true });
    mkdirSync(join(this.#path, RUNTIME));
    if (left.length > 0) throw new Error(`left behind:\n${left.join('\n')}`);
  }

  #use(): void {
    process.env['TMPDIR'] = this.#path;
    process.env['XDG_RUNTIME_DIR'] = join(this.#path, RUNTIME);
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
    // The process has already ended.
  }
}
