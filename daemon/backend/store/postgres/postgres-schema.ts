import { MonError } from '../../../../shared/errors.ts';
import type { PendingStep, UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { StoreSchema, UpgradeOptions } from '../../ports.ts';
import type { PendingMigrations, ReadValue } from '../migrations/pending-migrations.ts';
import type { DatabaseServer } from './server.ts';

/** The schema of a store in PostgreSQL. Such stores began with schema 3. */
export class PostgresSchema implements StoreSchema {
  readonly #shown: string;
  readonly #migrations: PendingMigrations;

  constructor({ shown }: Pick<DatabaseServer, 'shown'>, migrations: PendingMigrations) {
    this.#shown = shown;
    this.#migrations = migrations;
  }

  get version(): number {
    return this.#migrations.version;
  }

  get newest(): number {
    return this.#migrations.newest;
  }

  async room(): Promise<undefined> {
    return undefined;
  }

  pending(): Promise<readonly PendingStep[]> {
    return this.#migrations.pending();
  }

  obstacles(): Promise<readonly UpgradeObstacle[]> {
    return this.#migrations.obstacles();
  }

  upgrade(options: UpgradeOptions): Promise<void> {
    return this.#migrations.upgrade(options);
  }

  async backUp(): Promise<never> {
    throw new MonError(
      'invalid',
      `the store is ${this.#shown}: back it up with the tools of the database (pg_dump, pg_basebackup) or monctl dump, and ` +
        'continue without a backup by mon (--no-backup)',
    );
  }

  /** Returns a function that converts stored values to the newest form; undefined if all of them have it. */
  reader(): ReadValue | undefined {
    return this.#migrations.reader();
  }

  /**
   * Continues with the version that is stored by now, after another process has upgraded the store.
   *
   * @throws MonError `invalid` if that is newer than the program
   */
  setVersion(version: number): void {
    refuseNewer(this.#shown, version, this.newest);
    this.#migrations.setVersion(version);
  }
}

/** @throws MonError `invalid` if the version is newer than the newest one that the program knows */
export function refuseNewer(shown: string, version: number, newest: number): void {
  if (version <= newest) return;
  throw new MonError(
    'invalid',
    `the store ${shown} has schema ${String(version)}, this program knows up to ${String(newest)}: ` +
      'a newer mon has written it; start that version or a later one, or name another database in the setting store',
  );
}
