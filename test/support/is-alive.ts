import { spawnSync } from 'node:child_process';

/** A killed process whose parent has not asked for it yet (Z) is not alive. */
export function isAlive(pid: number): boolean {
  return /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout);
}
