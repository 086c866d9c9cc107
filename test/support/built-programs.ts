import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProgram } from './program-folder.ts';

type Program = 'mon' | 'monctl' | 'mon-agent' | 'mon-backend';

/** Returns the path of a built program, or of a program that is only built for tests. */
export function builtProgram(name: Program | TestProgram): string {
  return join(builtPrograms(), `${name}.js`);
}

/** Returns the directory that contains the built programs. */
export function builtPrograms(): string {
  return inject('programFolder');
}

/** Returns the arguments for Node that start a program as users start it: the flags of its first line, and its path. */
export function programArguments(name: Program): readonly string[] {
  const file = builtProgram(name);
  const flags = / node (--.*)/.exec(readFileSync(file, 'utf8').split('\n', 1)[0] ?? '')?.[1];
  return [...(flags?.split(' ') ?? []), file];
}
