import type { PendingStep, UpgradeObstacle } from '../../../shared/schemas/store-upgrade.ts';
import type { StoreSchema, StoreOperationOptions, UpgradeOptions } from '../ports.ts';
import {
  assertSpaceForCopy,
  backUp,
  backupDir,
  backupsOf,
  removeUnfinished,
  spaceForCopy,
  type Backup,
} from './backup.ts';
import type { Database } from './database.ts';
import type { PendingMigrations, ConvertValue } from './migrations/pending-migrations.ts';

/** The schema version of an open LevelDB store, with its upgrade and its backup. */
export class LevelSchema implements StoreSchema {
  readonly #database: Database;
  readonly #storeId: string;
  readonly #migrations: PendingMigrations;

  constructor(database: Database, storeId: string, migrations: PendingMigrations) {
    this.#database = database;
    this.#storeId = storeId;
    this.#migrations = migrations;
  }

  get version(): number {
    return this.#migrations.version;
  }

  get newest(): number {
    return this.#migrations.newest;
  }

  diskSpace(): Promise<{ readonly free: number; readonly needed: number }> {
    const { location } = this.#database;
    return spaceForCopy(location, location);
  }

  pending(): Promise<readonly PendingStep[]> {
    return this.#migrations.pending();
  }

  obstacles(): Promise<readonly UpgradeObstacle[]> {
    return this.#migrations.obstacles();
  }

  async upgrade(options: UpgradeOptions): Promise<void> {
    if (this.version === this.newest) return;
    const { location } = this.#database;
    await assertSpaceForCopy(location, location);
    await this.#migrations.upgrade(options);
  }

  async backUp({ dir, ...work }: StoreOperationOptions & { readonly dir?: string | undefined }): Promise<Backup> {
    const { location } = this.#database;
    const { version: schema } = this;
    if (dir === undefined) await removeUnfinished(backupsOf(location));
    const target = dir ?? backupDir(location, schema, new Date());
    return await backUp(this.#database, target, { schema, storeId: this.#storeId, ...work });
  }

  /**
   * Returns a function that converts stored values to the newest form; undefined if all stored values have that form.
   */
  reader(): ConvertValue | undefined {
    return this.#migrations.valueConverter();
  }
}
