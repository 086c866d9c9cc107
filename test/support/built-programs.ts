import { join } from 'node:path';
import { inject } from 'vitest';

/** The file of a program, as people run it. */
export function builtProgram(name: 'mon' | 'monctl' | 'mon-agent' | 'mon-backend'): string {
  return join(builtPrograms(), `${name}.js`);
}

/** The folder of `mon.js` and the other programs. */
export function builtPrograms(): string {
  return inject('programFolder');
}
