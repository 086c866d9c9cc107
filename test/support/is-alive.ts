import { spawnSync } from 'node:child_process';

/** Returns whether a process is alive. A killed process that its parent has not reaped yet (Z) is not. */
export function isAlive(pid: number): boolean {
  return /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout);
}
