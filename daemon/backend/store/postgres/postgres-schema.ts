import { MonError } from '../../../../shared/errors.ts';
import type { PendingStep, UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import type { StoreSchema } from '../../ports.ts';
import { newestSchema } from '../migrations/list.ts';
import type { Migration } from '../migrations/migration.ts';
import type { DatabaseServer } from './server.ts';

/** The schema of a store in PostgreSQL. It is new with schema 3, so that nothing leads there from an earlier one yet. */
export class PostgresSchema implements StoreSchema {
  readonly version: number;
  readonly newest: number;
  readonly #shown: string;

  constructor(
    { shown }: Pick<DatabaseServer, 'shown'>,
    { version, migrations }: { readonly version: number; readonly migrations: readonly Migration[] },
  ) {
    this.version = version;
    this.newest = newestSchema(migrations);
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
    throw new MonError('internal', `there is no way from schema ${String(this.version)} in ${this.#shown}`);
  }

  async backUp(): Promise<never> {
    throw new MonError(
      'invalid',
      `the store is ${this.#shown}: back it up with the tools of the database (pg_dump, pg_basebackup) or monctl dump, and ` +
        'go on without a backup by mon (--no-backup)',
    );
  }
}
