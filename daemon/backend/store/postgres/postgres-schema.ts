import { MonError } from '../../../../shared/errors.ts';
import type { PendingStep, UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { StoreSchema } from '../../ports.ts';
import type { DatabaseServer } from './server.ts';

/**
 * The newest schema of a store in PostgreSQL. PostgreSQL stores began with schema 3, so there is no migration from an
 * earlier one. They never hold the amendments that LevelDB stores may hold since schema 4.
 */
export const POSTGRES_SCHEMA = 3;

/** The schema of a store in PostgreSQL. */
export class PostgresSchema implements StoreSchema {
  readonly version: number;
  readonly newest = POSTGRES_SCHEMA;
  readonly #shown: string;

  constructor({ shown }: Pick<DatabaseServer, 'shown'>, version: number) {
    this.version = version;
    this.#shown = shown;
  }

  async room(): Promise<undefined> {
    return undefined;
  }

  async pending(): Promise<readonly PendingStep[]> {
    return [];
  }

  async obstacles(): Promise<readonly UpgradeObstacle[]> {
    return [];
  }

  async upgrade(): Promise<void> {
    if (this.version === this.newest) return;
    throw new MonError('internal', `there is no migration from schema ${String(this.version)} for ${this.#shown}`);
  }

  async backUp(): Promise<never> {
    throw new MonError(
      'invalid',
      `the store is the database ${this.#shown}: back up the database with pg_dump, pg_basebackup or monctl dump, ` +
        'and upgrade without a backup by mon (--no-backup)',
    );
  }
}
