import type { Database } from '../open-database.ts';

/** One step of the store's schema. The list of them only ever grows at its end. */
export interface Migration {
  /** The schema version that it leads to; the one before it is one less. */
  readonly version: number;
  /** For people, in the log and in errors. */
  readonly name: string;
  /** Must give the same outcome when it runs again after it was cut off at any point. */
  migrate(database: Database): Promise<void>;
}
