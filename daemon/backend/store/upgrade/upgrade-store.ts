import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { StepProgress, UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { Log } from '../../../log/log.ts';
import type { Clock, StoreSchema, StoreOperationOptions } from '../../ports.ts';
import { formatMebibytesRoundedUp } from '../backup.ts';

/** Interval in milliseconds of the progress messages of an upgrade (completion 1.18). */
const PROGRESS_INTERVAL_MS = 5000;

export interface UpgradeDependencies {
  readonly schema: StoreSchema;
  readonly clock: Clock;
  readonly log: Log;
}

export interface UpgradeRequest extends StoreOperationOptions {
  /** Directory of the backup, by default below the state directory; false if no backup is made. */
  readonly backup: { readonly dir?: string | undefined } | false;
  readonly onBackup?: (dir: string) => void;
  readonly onProgress?: (progress: StepProgress) => void;
}

/**
 * Upgrades a store to the newest schema: checks that nothing blocks the upgrade, makes a backup, and runs the
 * migrations. Its log messages are those of completion 1.18.
 *
 * @throws MonError `conflict` if something blocks the upgrade, before anything is changed; `unavailable` if the disk
 *   fails or has too little space; the reason of `signal`, if that is aborted
 */
export async function upgradeStore(
  { schema, clock, log }: UpgradeDependencies,
  { backup, onBackup, onProgress, ...work }: UpgradeRequest,
): Promise<void> {
  if (schema.version === schema.newest) {
    log.info({ database_version: schema.version }, 'database already up to date');
    return;
  }
  log.warn(
    { database_version: schema.version, new_version: schema.newest },
    'migrating embedded database to a new version',
  );
  let progress: StepProgress | undefined;
  using timers = new DisposableStack();
  timers.use(clock.every(PROGRESS_INTERVAL_MS, () => log.warn({ ...progress }, 'upgrading database')));
  try {
    refuseObstacles(await schema.obstacles(), log);
    if (backup !== false) {
      if (backup.dir === undefined) await refuseWithoutSpace(schema);
      const { dir, manifest } = await schema.backUp({ dir: backup.dir, ...work });
      const { entries, bytes, sha256 } = manifest;
      log.info({ backup: dir, entries, bytes, sha256 }, 'backup taken and verified');
      onBackup?.(dir);
    }
    await schema.upgrade({
      ...work,
      onProgress: (next) => {
        progress = next;
        onProgress?.(next);
      },
    });
  } catch (error) {
    log.error({ error: errorMessage(error) }, 'error upgrading database');
    throw error;
  }
  log.info({ database_version: schema.version }, 'successfully upgraded database');
}

/**
 * Verifies that the disk of the store has space for both the backup and the upgrade. Otherwise the backup would leave
 * no space for the upgrade.
 *
 * @throws MonError `unavailable` if there is less space
 */
async function refuseWithoutSpace(schema: StoreSchema): Promise<void> {
  const space = await schema.diskSpace();
  if (space === undefined || space.free >= 2 * space.needed) return;
  throw new MonError(
    'unavailable',
    `not enough disk space: backup and upgrade need ${formatMebibytesRoundedUp(2 * space.needed)}, but only ${formatMebibytesRoundedUp(space.free)} are free; ` +
      'free some space, or upgrade without a backup (--no-backup)',
  );
}

/**
 * Logs everything that blocks the upgrade.
 *
 * @throws MonError `conflict` with the remedies, if something blocks the upgrade
 */
export function refuseObstacles(obstacles: readonly UpgradeObstacle[], log: Log): void {
  const [first] = obstacles;
  if (first === undefined) return;
  for (const { reason, component, message } of obstacles) log.error({ error: reason, component }, message);
  throw new MonError('conflict', obstacleText(obstacles));
}

/** Returns a message for operators: what blocks the upgrade, and the commands that fix it, one command per line. */
export function obstacleText(obstacles: readonly UpgradeObstacle[]): string {
  return obstacles
    .map(
      ({ reason, detail, remedy }) =>
        `${reason}${detail === undefined ? '' : `, and ${detail}`}; nothing was changed. To fix this, run:\n` +
        remedy.map((command) => `  ${command}`).join('\n'),
    )
    .join('\n');
}

/** Starts a timer that aborts an upgrade after the operator's time limit. Returns undefined if there is no limit. */
export function timeLimit(clock: Clock, seconds: number | undefined, stop: AbortController): Disposable | undefined {
  if (seconds === undefined) return undefined;
  return clock.after(seconds * 1000, () => {
    stop.abort(
      new MonError(
        'unavailable',
        `the upgrade took longer than ${String(seconds)} seconds and was stopped; run it again to continue`,
      ),
    );
  });
}
