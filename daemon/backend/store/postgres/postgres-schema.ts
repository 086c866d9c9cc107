import { MonError } from '../../../../shared/errors.ts';
import type { PendingStep, UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { StoreSchema, UpgradeOptions } from '../../ports.ts';
import type { PendingMigrations, ConvertValue } from '../migrations/pending-migrations.ts';
import type { OlderPrograms } from './older-programs.ts';
import type { StatementRunner } from './postgres-upgrade-target.ts';
import type { DatabaseServer } from './server.ts';

interface SchemaDependencies {
  readonly pending: PendingMigrations;
  readonly older: OlderPrograms;
  readonly write: StatementRunner;
}

/** The schema version of a store in PostgreSQL, and its upgrade. The first version of such stores was 3. */
export class PostgresSchema implements StoreSchema {
  readonly #shown: string;
  readonly #parts: SchemaDependencies;

  constructor({ shown }: Pick<DatabaseServer, 'shown'>, parts: SchemaDependencies) {
    this.#shown = shown;
    this.#parts = parts;
  }

  get version(): number {
    return this.#parts.pending.version;
  }

  get newest(): number {
    return this.#parts.pending.newest;
  }

  async diskSpace(): Promise<undefined> {
    return undefined;
  }

  pending(): Promise<readonly PendingStep[]> {
    return this.#parts.pending.pending();
  }

  async obstacles(): Promise<readonly UpgradeObstacle[]> {
    if (this.version === this.newest) return [];
    const { pending, older } = this.#parts;
    return (await Promise.all([older.obstacles(), pending.obstacles()])).flat();
  }

  async upgrade(options: UpgradeOptions): Promise<void> {
    if (this.version === this.newest) return;
    const { pending, older, write } = this.#parts;
    await write((client) => older.releaseUnlisted(client));
    await pending.upgrade(options);
  }

  async backUp(): Promise<never> {
    throw new MonError(
      'invalid',
      `the store is the database ${this.#shown}: back up the database with pg_dump, pg_basebackup or monctl dump, ` +
        'and upgrade without a backup by mon (--no-backup)',
    );
  }

  /** Returns a function that converts stored values to the newest form; undefined if no migration is pending. */
  reader(): ConvertValue | undefined {
    return this.#parts.pending.valueConverter();
  }

  /**
   * Sets the schema version that was read from the store, because another process could have upgraded the store.
   *
   * @throws MonError `invalid` if `version` is newer than the newest one that this program knows
   */
  setVersion(version: number): void {
    refuseNewer(this.#shown, version, this.newest);
    this.#parts.pending.setVersion(version);
  }
}

/**
 * Verifies that this program supports the schema version of a store.
 *
 * @throws MonError `invalid` if `version` is newer than `newest`
 */
export function refuseNewer(shown: string, version: number, newest: number): void {
  if (version <= newest) return;
  throw new MonError(
    'invalid',
    `the store ${shown} has schema ${String(version)}, but this version of mon supports at most ${String(newest)}: ` +
      'a newer version of mon wrote it; start that version or a later one, or name another database in the setting store',
  );
}
