import type { UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { Key } from '../../ports.ts';
import type { Database } from '../database.ts';

/**
 * One step of the store's schema: the values below one prefix get a newer form. The list of steps only ever grows at its
 * end.
 *
 * A backend may serve a store whose steps are pending: it reads each value through `rewrite` and writes only the newest
 * form. So old and new may stand side by side, and the walk that rewrites what is left can be cut off anywhere.
 *
 * From schema 4 on what is stored of a result may have an amendment: a step that changes those brings both together first.
 */
export interface Migration {
  /** The schema version that it leads to; the one before it is one less. */
  readonly version: number;
  /** For people, in the log and in errors. */
  readonly name: string;
  /** What it goes through; all of it begins with a name, for what the store keeps about itself is the business of no step. */
  readonly prefix: Key;
  /** The newer form; a value that has it already comes back as it is. Knows no later form than its own. */
  readonly rewrite: (key: Key, value: string) => string;
  /** Reads only. Default: nothing can stand in the way. */
  readonly findObstacles?: (database: Database) => Promise<readonly UpgradeObstacle[]>;
}
