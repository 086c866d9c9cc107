import { checkRecords } from './002-check-records.ts';
import { checkConfigurations } from './003-check-configurations.ts';
import { amendments } from './004-amendments.ts';
import type { Migration } from './migration.ts';

/** The schema that there is no step to: the first one that a store was released with. */
export const FIRST_SCHEMA = 1;

/** Append only: a step that was ever released is never changed, moved or removed. */
export const MIGRATIONS: readonly Migration[] = [checkRecords, checkConfigurations, amendments];

/** The schema that a list of steps leads to. */
export function newestSchema(migrations: readonly Migration[]): number {
  return FIRST_SCHEMA + migrations.length;
}
