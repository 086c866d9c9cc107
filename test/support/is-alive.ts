import { spawnSync } from 'node:child_process';

/** True if a process is running. A process that has ended but was not reaped by its parent (state Z) is not. */
export function isAlive(pid: number): boolean {
  return /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout);
}
