import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Directory of the programs, built for this run. */
    programFolder: string;
    /** Directory of the workers' temporary directories. */
    tempFolder: string;
  }
}

const ROOT = join(import.meta.dirname, '..', '..');

/** The files of this directory that tests run as separate processes. */
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
 * Runs before all tests: builds the programs into a directory in the clone, where they find their version,
 * together with the programs of tests. It is deleted after the tests. One file starts in half the time of its
 * hundreds of sources, and the tests start hundreds of processes. `MON_TEST_PROGRAMS` names a directory with
 * already built ones.
 */
export async function setup(project: TestProject): Promise<() => void> {
  const parent = join(ROOT, 'build');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'test-programs-'));
  const built = process.env['MON_TEST_PROGRAMS'];
  if (built === undefined) await promisify(execFile)(process.execPath, ['scripts/build.ts', folder], { cwd: ROOT });
  // Hidden files beside the programs are their caches.
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
  // A short path, because the names of Unix sockets have at most 107 bytes.
  const tempFolder = mkdtempSync(join(tmpdir(), 'mon-'));
  // Other users need access, such as the user of a database.
  chmodSync(tempFolder, 0o711);
  project.provide('programFolder', folder);
  project.provide('tempFolder', tempFolder);
  return () => {
    for (const path of [folder, tempFolder]) rmSync(path, { recursive: true, force: true });
  };
}
