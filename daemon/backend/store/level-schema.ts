import type { PendingStep, UpgradeObstacle } from '../../../shared/schemas/store-upgrade.ts';
import type { Key, StoreSchema, StoreWork, UpgradeOptions } from '../ports.ts';
import {
  assertSpaceForCopy,
  backUp,
  backupDir,
  backupsOf,
  removeUnfinished,
  spaceForCopy,
  type Backup,
} from './backup.ts';
import { newestSchema } from './migrations/list.ts';
import type { Migration } from './migrations/migration.ts';
import { countEntries, takeStep, type UpgradeTarget } from './migrations/upgrade-schema.ts';

/** The schema of an open database: its version, and the pending migrations. */
export class LevelSchema implements StoreSchema {
  readonly newest: number;
  readonly #target: UpgradeTarget;
  readonly #storeId: string;
  #steps: readonly Migration[];

  /** @param version schema version of the database, at most the newest of `migrations` */
  constructor(
    target: UpgradeTarget,
    about: { readonly storeId: string; readonly version: number; readonly migrations: readonly Migration[] },
  ) {
    this.newest = newestSchema(about.migrations);
    this.#target = target;
    this.#storeId = about.storeId;
    this.#steps = about.migrations.filter(({ version }) => version > about.version);
  }

  get version(): number {
    return this.newest - this.#steps.length;
  }

  room(): Promise<{ readonly free: number; readonly needed: number }> {
    const { location } = this.#target.database;
    return spaceForCopy(location, location);
  }

  async pending(): Promise<readonly PendingStep[]> {
    const { database } = this.#target;
    return await Promise.all(
      this.#steps.map(async ({ version, name, prefixes }) => ({
        version,
        name,
        entries: await countEntries(database, prefixes),
      })),
    );
  }

  async obstacles(): Promise<readonly UpgradeObstacle[]> {
    const { database } = this.#target;
    const found = await Promise.all(this.#steps.map(async (step) => (await step.findObstacles?.(database)) ?? []));
    return found.flat();
  }

  async upgrade(options: UpgradeOptions): Promise<void> {
    if (this.#steps.length === 0) return;
    const { location } = this.#target.database;
    await assertSpaceForCopy(location, location);
    for (const step of this.#steps) {
      await takeStep(this.#target, step, options);
      this.#steps = this.#steps.filter(({ version }) => version > step.version);
    }
  }

  async backUp({ dir, ...work }: StoreWork & { readonly dir?: string | undefined }): Promise<Backup> {
    const { database } = this.#target;
    const { version: schema } = this;
    if (dir === undefined) await removeUnfinished(backupsOf(database.location));
    const place = dir ?? backupDir(database.location, schema, new Date());
    return await backUp(database, place, { schema, storeId: this.#storeId, ...work });
  }

  /**
   * Returns a function that converts stored values of any form to the newest form.
   *
   * @returns undefined if all values have the newest form
   */
  reader(): ReadValue | undefined {
    const steps = this.#steps;
    if (steps.length === 0) return undefined;
    return (key, value) => {
      let current = value;
      for (const { prefixes, rewrite } of steps) {
        if (prefixes.some((prefix) => startsWith(key, prefix))) current = rewrite(key, current);
      }
      return current;
    };
  }
}

function startsWith(key: Key, prefix: Key): boolean {
  return prefix.every((part, at) => part === key[at]);
}

type ReadValue = (key: Key, value: string) => string;
