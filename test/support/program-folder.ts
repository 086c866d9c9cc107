import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** For the programs that this run builds. */
    programFolder: string;
  }
}

/** Before all tests: a folder within the clone, where programs find their version. It is gone after them. */
export function setup(project: TestProject): () => void {
  const parent = join(import.meta.dirname, '..', '..', 'build');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'test-programs-'));
  project.provide('programFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
