import { diskStatus, type DiskLevel } from '../../../shared/domain/disk-space.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import type { Results } from '../results/commands.ts';
import type { Clock } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import { OwnCheck } from './own-check.ts';

/** The check of the backend about its own disk. */
const DISK_CHECK = 'mon.disk';

/**
 * The interval of the measurements: at most, results fill the space between the floor and the reserve within seconds.
 */
const LOOK_MS = 1000;

interface DiskParts {
  readonly guard: DiskGuard;
  readonly registry: Registry;
  readonly results: Pick<Results, 'submitOwn'>;
  /** The name of the client that represents this backend. */
  readonly client: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Monitors the disk and reports it as a check, whose event opens, changes and resolves automatically. */
export function watchDisk(parts: DiskParts): Disposable {
  const { guard, clock, log } = parts;
  const check = new OwnCheck({ ...parts, check: DISK_CHECK });
  let isLooking = false;
  let logged: DiskLevel = 'ok';
  const timer = clock.every(LOOK_MS, () => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  });
  return timer;

  async function look(): Promise<void> {
    await guard.look();
    const { level } = guard;
    if (level !== logged) log[level === 'ok' ? 'info' : 'warn']({ level, free: guard.freeBytes }, guard.describe());
    logged = level;
    try {
      await check.report({ status: diskStatus(level), output: guard.describe() });
    } catch (error) {
      // The next measurement tries again.
      log.debug({ reason: errorMessage(error) }, 'could not store the result of the disk check, retrying soon');
    }
  }
}
