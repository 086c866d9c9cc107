import { diskStatus, type DiskLevel } from '../../../shared/domain/disk-space.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import type { Results } from '../results/commands.ts';
import type { Clock } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import { OwnCheck } from './own-check.ts';

/** The name of the check that reports the state of the disk. */
const DISK_CHECK = 'mon.disk';

/**
 * The interval between two measurements. It is short, because results are accepted until the next measurement, and
 * within seconds they could use up the space that remains below the floor.
 */
const MEASURE_INTERVAL_MS = 1000;

interface DiskWatchDependencies {
  readonly guard: DiskGuard;
  readonly registry: Registry;
  readonly results: Pick<Results, 'submitBackendResult'>;
  /** Name of the client that represents this backend. */
  readonly client: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Measures the free disk space and reports it as a check. The event of the check opens, changes and resolves
 * automatically.
 */
export function watchDisk(parts: DiskWatchDependencies): Disposable {
  const { guard, clock, log } = parts;
  const check = new OwnCheck({ ...parts, check: DISK_CHECK });
  let isLooking = false;
  let logged: DiskLevel = 'ok';
  const timer = clock.every(MEASURE_INTERVAL_MS, () => {
    if (isLooking) return;
    isLooking = true;
    void checkDisk().finally(() => {
      isLooking = false;
    });
  });
  return timer;

  async function checkDisk(): Promise<void> {
    await guard.checkFreeSpace();
    const { level } = guard;
    if (level !== logged) log[level === 'ok' ? 'info' : 'warn']({ level, free: guard.freeBytes }, guard.describe());
    logged = level;
    try {
      await check.report({ status: diskStatus(level), output: guard.describe() });
    } catch (error) {
      // The next measurement submits the result again.
      log.debug({ reason: errorMessage(error) }, 'could not store the result of the disk check, retrying soon');
    }
  }
}
