import { checkRecords } from './002-check-records.ts';
import { checkConfigurations } from './003-check-configurations.ts';
import { amendments } from './004-amendments.ts';
import { notificationLog } from './005-notification-log.ts';
import type { Migration } from './migration.ts';

/** The first released schema version, from which the first migration starts. */
export const FIRST_SCHEMA = 1;

/** All migrations in order. Append only: a released migration is never changed, moved or removed. */
export const MIGRATIONS: readonly Migration[] = [checkRecords, checkConfigurations, amendments, notificationLog];

/** Returns the schema version of a store after all of these migrations. */
export function schemaAfterMigrations(migrations: readonly Migration[]): number {
  return FIRST_SCHEMA + migrations.length;
}
