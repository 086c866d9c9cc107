import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProgram } from './program-folder.ts';

type Program = 'mon' | 'monctl' | 'mon-agent' | 'mon-backend';

/** The file of a program, as people run it, or of one that only tests run. */
export function builtProgram(name: Program | TestProgram): string {
  return join(builtPrograms(), `${name}.js`);
}

/** The folder of `mon.js` and the other programs. */
export function builtPrograms(): string {
  return inject('programFolder');
}

/** What Node is started with to run a program as people do: the flags that its first line names, and its file. */
export function programArguments(name: Program): readonly string[] {
  const file = builtProgram(name);
  const flags = / node (--.*)/.exec(readFileSync(file, 'utf8').split('\n', 1)[0] ?? '')?.[1];
  return [...(flags?.split(' ') ?? []), file];
}
