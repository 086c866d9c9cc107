import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

let built: Promise<string> | undefined;

/** The folder of `mon.js` and the other programs, built once for all test files that run in this process. */
export function builtPrograms(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const folder = join(inject('programFolder'), String(process.pid));
  await promisify(execFile)(process.execPath, ['scripts/build.ts', folder], { cwd: ROOT });
  return folder;
}
