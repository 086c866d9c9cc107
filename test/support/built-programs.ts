import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProgram } from './program-folder.ts';

type Program = 'mon' | 'monctl' | 'mon-agent' | 'mon-backend';

/** Returns the file of a built program, or of a program for tests only. */
export function builtProgram(name: Program | TestProgram): string {
  return join(builtPrograms(), `${name}.js`);
}

/** Returns the directory of the built programs. */
export function builtPrograms(): string {
  return inject('programFolder');
}

/** Returns the Node arguments that run a program as for users: the flags of its first line, and its file. */
export function programArguments(name: Program): readonly string[] {
  const file = builtProgram(name);
  const flags = / node (--.*)/.exec(readFileSync(file, 'utf8').split('\n', 1)[0] ?? '')?.[1];
  return [...(flags?.split(' ') ?? []), file];
}
