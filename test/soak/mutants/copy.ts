import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Mutant } from './mutant.ts';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../../..');

/** Longest run of one test. */
const TEST_MS_MAX = 5 * 60_000;

/** What came of a test in the copy. */
export interface Verdict {
  readonly passed: number;
  readonly failed: number;
}

/** The working tree, without what git ignores, in a directory of its own where it can be broken. */
export class TreeCopy {
  readonly #dir: string;

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
      // One that is deleted and not yet committed is no part of the tree.
      await cp(join(ROOT, file), join(dir, file)).catch(() => undefined);
    }
    await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
    return new TreeCopy(dir);
  }

  /** What the tests say without the defence; everything is as it was afterwards. */
  async without({ file, text, replacement, test, title }: Mutant): Promise<Verdict> {
    const path = join(this.#dir, file);
    const before = await readFile(path, 'utf8');
    await writeFile(
      path,
      before.replace(text, () => replacement),
    );
    try {
      return await this.verdict({ test, title });
    } finally {
      await writeFile(path, before);
    }
  }

  async verdict({ test, title }: { readonly test: string; readonly title?: string | undefined }): Promise<Verdict> {
    const report = join(this.#dir, 'build/mutants.json');
    await mkdir(dirname(report), { recursive: true });
    await writeFile(report, '{}');
    const args = ['run', test, '--bail', '1', '--reporter', 'json', '--outputFile', report];
    // The tests of the copy are not those of a soak.
    const { SOAK_ROUNDS: _rounds, SOAK_SEED: _seed, ...env } = process.env;
    // It ends with 1 when a test fails: what counts is the report.
    await run(
      process.execPath,
      [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args, ...(title === undefined ? [] : ['-t', title])],
      { cwd: this.#dir, env, timeout: TEST_MS_MAX, maxBuffer: 64 * 1024 * 1024 },
    ).catch(() => undefined);
    const { numPassedTests = 0, numFailedTests = 0 } = JSON.parse(await readFile(report, 'utf8')) as {
      readonly numPassedTests?: number;
      readonly numFailedTests?: number;
    };
    return { passed: numPassedTests, failed: numFailedTests };
  }
}

/** How often the text of a mutant is in its file. */
export async function placesOf({ file, text }: Mutant): Promise<number> {
  return (await readFile(join(ROOT, file), 'utf8')).split(text).length - 1;
}

/** Whether the test that is to fail is there. */
export async function hasTest({ test }: Mutant): Promise<boolean> {
  return await readFile(join(ROOT, test)).then(
    () => true,
    () => false,
  );
}
