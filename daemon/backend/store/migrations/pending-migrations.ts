import type { PendingStep, UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { Key, UpgradeOptions } from '../../ports.ts';
import { schemaAfterMigrations } from './list.ts';
import type { Migration } from './migration.ts';
import { countEntries, runMigration } from './upgrade-schema.ts';
import type { UpgradeTarget } from './upgrade-target.ts';

/** Converts a stored value of any schema version to the newest form. */
export type ConvertValue = (key: Key, value: string) => string;

/** The migrations that an open store, in LevelDB or PostgreSQL, still needs to reach the newest schema version. */
export class PendingMigrations {
  readonly newest: number;
  readonly #target: UpgradeTarget;
  readonly #migrations: readonly Migration[];
  #steps: readonly Migration[];

  /** @param version the schema version of the store, at most the version that `migrations` lead to */
  constructor(target: UpgradeTarget, version: number, migrations: readonly Migration[]) {
    this.newest = schemaAfterMigrations(migrations);
    this.#target = target;
    this.#migrations = migrations;
    this.#steps = migrationsAfter(version, migrations);
  }

  get version(): number {
    return this.newest - this.#steps.length;
  }

  /** Sets the schema version of the store, after this or another process has upgraded it. */
  setVersion(version: number): void {
    if (version !== this.version) this.#steps = migrationsAfter(version, this.#migrations);
  }

  async pending(): Promise<readonly PendingStep[]> {
    return await Promise.all(
      this.#steps.map(async ({ version, name, prefixes }) => ({
        version,
        name,
        entries: await countEntries(this.#target, prefixes),
      })),
    );
  }

  async obstacles(): Promise<readonly UpgradeObstacle[]> {
    const obstacles = this.#steps.map(async (step) => (await step.findObstacles?.(this.#target)) ?? []);
    return (await Promise.all(obstacles)).flat();
  }

  /** Implements `StoreSchema.upgrade`: runs all pending migrations in order. */
  async upgrade(options: UpgradeOptions): Promise<void> {
    for (const step of this.#steps) {
      await runMigration(this.#target, step, options);
      this.setVersion(step.version);
    }
  }

  /** Returns a function that converts stored values to the newest form; undefined if no migration is pending. */
  valueConverter(): ConvertValue | undefined {
    const steps = this.#steps;
    if (steps.length === 0) return undefined;
    return (key, value) => {
      let current = value;
      for (const { prefixes, rewrite } of steps) {
        if (prefixes.some((prefix) => hasPrefix(key, prefix))) current = rewrite(key, current);
      }
      return current;
    };
  }
}

/**
 * Returns entries with their values in the newest form.
 *
 * @param read callback that converts a stored value; undefined if all values already have the newest form
 */
export function convertEntries(
  entries: AsyncIterable<readonly [Key, string]>,
  read: ConvertValue | undefined,
): AsyncIterable<readonly [Key, string]> {
  return read === undefined ? entries : convertedEntries(entries, read);
}

async function* convertedEntries(
  entries: AsyncIterable<readonly [Key, string]>,
  read: ConvertValue,
): AsyncGenerator<readonly [Key, string], void, undefined> {
  for await (const [key, value] of entries) yield [key, read(key, value)];
}

/**
 * Returns the values of `keys` in the newest form.
 *
 * @param read callback that converts a stored value; undefined if all values already have the newest form
 */
export function convertValues(
  keys: readonly Key[],
  values: (string | undefined)[],
  read: ConvertValue | undefined,
): (string | undefined)[] {
  if (read === undefined) return values;
  return values.map((value, at) => (value === undefined ? undefined : read(keys[at] ?? [], value)));
}

function migrationsAfter(version: number, migrations: readonly Migration[]): readonly Migration[] {
  return migrations.filter((migration) => migration.version > version);
}

function hasPrefix(key: Key, prefix: Key): boolean {
  return prefix.every((part, at) => part === key[at]);
}
