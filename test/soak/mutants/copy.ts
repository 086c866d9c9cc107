import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Mutant } from './mutant.ts';
import type { TestRun, Verdict } from './test-run.ts';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../../..');

/** Longest run of one test. */
const TEST_MS_MAX = 5 * 60_000;

/** The tests of the copy are not those of a soak. */
const { SOAK_ROUNDS: _rounds, SOAK_SEED: _seed, ...ENVIRONMENT } = process.env;

/** Tests that import this file start the built programs, which must be built again for each mutant. */
const BUILT_PROGRAMS = 'test/support/built-programs.ts';

/** The working tree, without ignored files, in a separate directory where it can be broken. */
export class TreeCopy implements Disposable {
  readonly #dir: string;
  /** The server for tests without built programs; `undefined` until it is started. */
  #server: ChildProcess | undefined;
  /** Files that were written since the last request to the server. */
  readonly #changed = new Set<string>();

  private constructor(dir: string) {
    this.#dir = dir;
  }

  static async into(dir: string): Promise<TreeCopy> {
    const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
    });
    for (const file of stdout.split('\0').filter((name) => name !== '')) {
      await mkdir(dirname(join(dir, file)), { recursive: true });
      // A deleted file may still be listed until the commit.
      await cp(join(ROOT, file), join(dir, file)).catch(() => undefined);
    }
    await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
    return new TreeCopy(dir);
  }

  [Symbol.dispose](): void {
    this.#server?.disconnect();
  }

  /** Returns the result of the tests without the defence. The copy is restored afterwards. */
  async without({ file, text, replacement, test, title }: Mutant): Promise<Verdict> {
    const before = await readFile(join(this.#dir, file), 'utf8');
    await this.#write(
      file,
      before.replace(text, () => replacement),
    );
    try {
      return await this.verdict({ test, title });
    } finally {
      await this.#write(file, before);
    }
  }

  async verdict({ test, title }: Pick<TestRun, 'test' | 'title'>): Promise<Verdict> {
    return (await this.#startsPrograms(test)) ? await this.#runAlone(test, title) : await this.#request(test, title);
  }

  async #write(file: string, text: string): Promise<void> {
    await writeFile(join(this.#dir, file), text);
    this.#changed.add(file);
  }

  /** Runs tests in a separate process, which builds the programs first. */
  async #runAlone(test: string, title: string | undefined): Promise<Verdict> {
    const report = join(this.#dir, 'build/mutants.json');
    await mkdir(dirname(report), { recursive: true });
    await writeFile(report, '{}');
    const args = ['run', test, '--bail', '1', '--reporter', 'json', '--outputFile', report];
    // The exit code is 1 when a test fails; only the report counts.
    await run(
      process.execPath,
      [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args, ...(title === undefined ? [] : ['-t', title])],
      { cwd: this.#dir, env: ENVIRONMENT, timeout: TEST_MS_MAX, maxBuffer: 64 * 1024 * 1024 },
    ).catch(() => undefined);
    const { numPassedTests = 0, numFailedTests = 0 } = JSON.parse(await readFile(report, 'utf8')) as {
      readonly numPassedTests?: number;
      readonly numFailedTests?: number;
    };
    return { passed: numPassedTests, failed: numFailedTests };
  }

  /** Runs tests in the server, which is started first if necessary. A timeout gives no result. */
  async #request(test: string, title: string | undefined): Promise<Verdict> {
    const server = (this.#server ??= await this.#startServer());
    const request: TestRun = { test, title, changed: [...this.#changed] };
    this.#changed.clear();
    const answer = once(server, 'message', { signal: AbortSignal.timeout(TEST_MS_MAX) });
    server.send(request);
    try {
      const [verdict] = (await answer) as [Verdict];
      return verdict;
    } catch {
      server.kill('SIGKILL');
      this.#server = undefined;
      return { passed: 0, failed: 0 };
    }
  }

  async #startServer(): Promise<ChildProcess> {
    const server = fork(join(this.#dir, 'test/soak/mutants/test-server.ts'), { cwd: this.#dir, env: ENVIRONMENT });
    await once(server, 'message');
    return server;
  }

  /** Returns whether a test file imports the built programs, directly or through another file. */
  async #startsPrograms(file: string, visited = new Set<string>()): Promise<boolean> {
    if (file === BUILT_PROGRAMS) return true;
    if (visited.has(file) || !file.startsWith('test/')) return false;
    visited.add(file);
    const source = await readFile(join(this.#dir, file), 'utf8').catch(() => '');
    for (const [, imported = ''] of source.matchAll(/from '(\.{1,2}\/[^']+)'/g)) {
      if (await this.#startsPrograms(join(dirname(file), imported), visited)) return true;
    }
    return false;
  }
}

/** Returns how often the text of a mutant is in its file. */
export async function placesOf({ file, text }: Mutant): Promise<number> {
  return (await readFile(join(ROOT, file), 'utf8')).split(text).length - 1;
}

/** Returns whether the test that must fail exists, with the part of its title that is named. */
export async function hasTest({ test, title = '' }: Mutant): Promise<boolean> {
  return (await readFile(join(ROOT, test), 'utf8').catch(() => undefined))?.includes(title) ?? false;
}
