import type { UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { Key } from '../../ports.ts';
import type { MigrationReader } from './upgrade-target.ts';

/**
 * A migration from one schema version to the next: it rewrites the values below certain key prefixes. A released
 * migration is never changed or removed.
 *
 * A backend may serve a store with pending migrations: it reads each value through `rewrite` and writes only the newest
 * form. So old and new forms may coexist, and an upgrade, which rewrites the remaining old values, can be interrupted
 * at any point.
 *
 * From schema 4 on, a stored result may have an amendment, which is a difference to it. A migration receives the result
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
   * Returns the new form of a value; a value that already has this form is returned unchanged. The function was written
   * without knowledge of any later form.
   */
  readonly rewrite: (key: Key, value: string) => string;
  /**
   * Returns the obstacles that an operator must remove before the migration, and changes nothing. Default: no
   * obstacles.
   */
  readonly findObstacles?: (store: MigrationReader) => Promise<readonly UpgradeObstacle[]>;
}
