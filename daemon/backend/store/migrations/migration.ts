import type { UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { Key } from '../../ports.ts';
import type { MigrationReader } from './upgrade-target.ts';

/**
 * A migration of the store's schema: the values below its prefixes get a newer form. The list of migrations only ever
 * grows at its end.
 *
 * A backend may serve a store with pending migrations: it reads each value through `rewrite` and writes only the newest
 * form. So old and new forms may coexist, and the upgrade that rewrites the rest can be interrupted at any point.
 *
 * From schema 4 on a stored result may have an amendment: a migration sees both as one whole value.
 */
export interface Migration {
  /** The schema version that the migration leads to; it starts from the version before. */
  readonly version: number;
  /** A name for operators, in the log and in errors. */
  readonly name: string;
  /**
   * The key prefixes of the values it rewrites; none of them lies below another. Each begins with a string, because no
   * migration changes the store's own records. An empty list: no value changes its form.
   */
  readonly prefixes: readonly Key[];
  /** Returns the newer form; a value in that form is returned unchanged. It knows no later form than its own. */
  readonly rewrite: (key: Key, value: string) => string;
  /** Finds obstacles, and only reads. Default: there are none. */
  readonly findObstacles?: (store: MigrationReader) => Promise<readonly UpgradeObstacle[]>;
}
