import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { StepProgress, UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { Log } from '../../../log/log.ts';
import type { Clock, StoreSchema, StoreWork } from '../../ports.ts';
import { mebibytes } from '../backup.ts';

/** How often an upgrade under way says so (completion 1.18). */
const TOLD_EVERY_MS = 5000;

export interface UpgradeParts {
  readonly schema: StoreSchema;
  readonly clock: Clock;
  readonly log: Log;
}

export interface UpgradeRequest extends StoreWork {
  /** Where the backup goes, by default beneath the state directory; false: none is taken. */
  readonly backup: { readonly dir?: string | undefined } | false;
  readonly onBackup?: (dir: string) => void;
  readonly onProgress?: (progress: StepProgress) => void;
}

/**
 * Brings a store to the newest schema: looks for what stands in the way, takes a backup, takes the steps, and tells the
 * log of all that in the words of completion 1.18.
 *
 * @throws MonError `conflict` when something stands in the way, and nothing was changed; `unavailable` when the disk
 *   refuses; the reason of the signal
 */
export async function upgradeStore(
  { schema, clock, log }: UpgradeParts,
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
  timers.use(clock.every(TOLD_EVERY_MS, () => log.warn({ ...progress }, 'upgrading database')));
  try {
    refuseObstacles(await schema.obstacles(), log);
    if (backup !== false) {
      if (backup.dir === undefined) await refuseWithoutRoom(schema);
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
 * Looks for room for both, where both are on one disk: a backup that leaves none for the upgrade would only fill it.
 *
 * @throws MonError `unavailable`
 */
async function refuseWithoutRoom(schema: StoreSchema): Promise<void> {
  const room = await schema.room();
  if (room === undefined || room.free >= 2 * room.needed) return;
  throw new MonError(
    'unavailable',
    `a backup and the upgrade need ${mebibytes(2 * room.needed)}, ${mebibytes(room.free)} are free; free some space, or upgrade ` +
      'without a backup (--no-backup)',
  );
}

/** @throws MonError `conflict` that says the way out, when there are any */
export function refuseObstacles(obstacles: readonly UpgradeObstacle[], log: Log): void {
  const [first] = obstacles;
  if (first === undefined) return;
  for (const { reason, component, message } of obstacles) log.error({ error: reason, component }, message);
  throw new MonError('conflict', obstacleText(obstacles));
}

/** What stands in the way and the commands that remove it, one a line. */
export function obstacleText(obstacles: readonly UpgradeObstacle[]): string {
  return obstacles
    .map(
      ({ reason, remedy }) =>
        `${reason}, and checks refer to it; nothing was changed. The way out:\n${remedy.map((command) => `  ${command}`).join('\n')}`,
    )
    .join('\n');
}

/** Ends an upgrade that takes longer than the operator wants to wait. */
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
