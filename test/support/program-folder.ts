import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Directory of the programs that were built for this test run. */
    programFolder: string;
    /** Directory that contains the temporary directory of each vitest worker. */
    tempFolder: string;
  }
}

const ROOT = join(import.meta.dirname, '..', '..');

/** Names of the files in this directory that tests run as separate processes. */
const TEST_PROGRAMS = [
  'command-host',
  'store-writer',
  'store-opener',
  'starved-writer',
  'spool-writer',
  'spool-host',
] as const;
export type TestProgram = (typeof TEST_PROGRAMS)[number];

/**
 * Runs before all tests. It builds the programs, and the programs that only tests use, into a directory in the
 * repository, where they find their version; the directory is deleted after the tests. Tests start hundreds of
 * processes, and a bundled program starts in half the time of its sources. If `MON_TEST_PROGRAMS` names a directory
 * with built programs, they are copied instead.
 */
export async function setup(project: TestProject): Promise<() => void> {
  const parent = join(ROOT, 'build');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'test-programs-'));
  const built = process.env['MON_TEST_PROGRAMS'];
  if (built === undefined) await promisify(execFile)(process.execPath, ['scripts/build.ts', folder], { cwd: ROOT });
  // Hidden files next to the programs are caches, which are not copied.
  else cpSync(built, folder, { recursive: true, filter: (path) => !basename(path).startsWith('.') });
  await build({
    entryPoints: TEST_PROGRAMS.map((name) => join(import.meta.dirname, `${name}.ts`)),
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: ['level'],
    logLevel: 'warning',
  });
  // The path is short, because the path of a Unix socket is limited to 107 bytes.
  const tempFolder = mkdtempSync(join(tmpdir(), 'mon-'));
  // Other users, such as the user of a database server, need access to files below this directory.
  chmodSync(tempFolder, 0o711);
  project.provide('programFolder', folder);
  project.provide('tempFolder', tempFolder);
  return () => {
    for (const path of [folder, tempFolder]) rmSync(path, { recursive: true, force: true });
  };
}
