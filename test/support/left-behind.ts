import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describeProcess, processesWithVariable, startedMs } from './processes.ts';

/** Time that ending or killed processes get to disappear. */
const ENDING_MS = 5000;

/** Directory for the tokens of test backends, separate from those of the user. */
const RUNTIME = 'run';

/** Precision of process and timer times. */
const CLOCK_TICK_MS = 20;

/** A started test, in the order of start. */
export interface BegunTest {
  readonly name: string;
  readonly startMs: number;
}

/**
 * The temporary directory of a worker. Programs that tests start inherit it by their environment, so it marks
 * the processes of this worker as well as its files.
 */
export class WorkerFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    mkdirSync(join(path, RUNTIME), { recursive: true });
    this.#use();
  }

  /**
   * Removes what the tests of a file have left behind.
   *
   * @throws Error that names the processes and files, each with the test that created it
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
    // A killed backend leaves its token, and another one may later get the same port.
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
    // The process has ended meanwhile.
  }
}
