import type { DumpedTable } from './dump-table.ts';
import type { TableTopic } from './feed-topic.ts';
import type { RegistryTable } from '../registry/registry.ts';
import type { ShiftedTable } from '../registry/shift-times.ts';

/**
 * The functions for one kind of stored objects: for the registry, for dumps, for clock corrections and for the feed.
 */
export interface StoredTable extends DumpedTable, RegistryTable, ShiftedTable, TableTopic {}
