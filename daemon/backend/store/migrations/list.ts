import { checkRecords } from './002-check-records.ts';
import { checkConfigurations } from './003-check-configurations.ts';
import { amendments } from './004-amendments.ts';
import { notificationLog } from './005-notification-log.ts';
import type { Migration } from './migration.ts';

/** The first released schema, to which no migration leads. */
export const FIRST_SCHEMA = 1;

/** The migrations. Append only: a released migration is never changed, moved or removed. */
export const MIGRATIONS: readonly Migration[] = [checkRecords, checkConfigurations, amendments, notificationLog];

/** Returns the schema that a list of migrations leads to. */
export function newestSchema(migrations: readonly Migration[]): number {
  return FIRST_SCHEMA + migrations.length;
}
