import { MonError } from '../../../../shared/errors.ts';
import { backUp, backupDir, readBackup, verifyBackup } from '../backup.ts';
import { MIGRATIONS, schemaAfterMigrations } from '../migrations/list.ts';
import { closeDatabase, openDatabase, WRITE_BUFFER_BYTES } from '../open-database.ts';
import { describeStore } from '../open-schema.ts';
import { isRestorable, restoreBackup } from '../restore-backup.ts';
import type { CommandDependencies, UpgradeFlags } from './upgrade-command.ts';

/**
 * Implements `mon-backend restore-backup DIR`: replaces the store in a directory by a backup. The directory must not be
 * in use by a backend. Before that, the current content is backed up, unless there is none or `backup` is false. If a
 * run is interrupted, it can be repeated.
 *
 * @throws MonError `invalid` if the backup is damaged or too new, `conflict` if a backend uses the directory,
 *   `unavailable` if the operator declines or the disk fails
 */
export async function restoreCommand(
  dir: string,
  stateDir: string,
  { skipConfirm, backup: kept }: Pick<UpgradeFlags, 'skipConfirm' | 'backup'>,
  { log, ask, stop: { signal } }: CommandDependencies,
): Promise<void> {
  const backup = await readBackup(dir);
  const { entries, schema, taken } = backup.manifest;
  refuseNewer(dir, schema);
  await verifyBackup(backup, { signal });
  const database = await openDatabase(stateDir, WRITE_BUFFER_BYTES);
  try {
    if (!(await isRestorable(database))) {
      const question = `Are you sure you want to replace everything that is stored in ${stateDir} by the backup of ${taken}, with schema ${String(schema)}?`;
      if (!skipConfirm && !(await ask(question))) throw new MonError('unavailable', 'restore aborted by operator');
      if (kept !== false) {
        const description = await describeStore(database);
        const targetDir = kept.dir ?? `${backupDir(stateDir, description.schema, new Date())}-before-restore`;
        const { manifest } = await backUp(database, targetDir, { ...description, signal });
        log.info({ backup: targetDir, entries: manifest.entries }, 'backup taken and verified');
      }
    }
    log.warn({ backup: dir, entries, database_version: schema }, 'restoring database');
    await restoreBackup(database, backup, signal);
  } finally {
    await closeDatabase(database);
  }
  log.info({ backup: dir, entries, database_version: schema }, 'successfully restored database');
}

function refuseNewer(dir: string, schema: number): void {
  const newest = schemaAfterMigrations(MIGRATIONS);
  if (schema <= newest) return;
  throw new MonError(
    'invalid',
    `the backup in ${dir} has schema ${String(schema)}, but this version of mon supports at most ${String(newest)}: use the version that created the backup`,
  );
}
