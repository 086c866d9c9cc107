import type { UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { Key } from '../../ports.ts';
import type { MigrationReader } from './upgrade-target.ts';

/**
 * A migration from one schema version to the next: it rewrites the values below certain key prefixes. A released
 * migration is never changed or removed.
 *
 * A backend can serve a store with pending migrations: it reads each value through `rewrite` and writes only the newest
 * form. So values in old and new forms can coexist. An upgrade rewrites the remaining old values, and can be
 * interrupted at any point.
 *
 * From schema 4 on, a stored result can have an amendment, which is a difference to it. A migration receives the result
 * with its amendment applied.
 */
export interface Migration {
  /** The schema version after the migration, which starts from the version one lower. */
  readonly version: number;
  /** Name of the migration for operators, in the log and in errors. */
  readonly name: string;
  /**
   * Key prefixes of the values that the migration rewrites; no prefix begins with another one. Each begins with a
   * string, because the store's own records, whose keys begin with a number, are never migrated. Empty if no value is
   * rewritten.
   */
  readonly prefixes: readonly Key[];
  /**
   * Returns the new form of a value; a value that already has this form is returned unchanged. The function can also
   * receive values in a later form, which was unknown when it was written.
   */
  readonly rewrite: (key: Key, value: string) => string;
  /**
   * Returns what blocks the migration until an operator removes it. The function changes nothing. Default: nothing
   * blocks it.
   */
  readonly findObstacles?: (store: MigrationReader) => Promise<readonly UpgradeObstacle[]>;
}
