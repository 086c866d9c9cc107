import type { DumpedTable } from './dump-table.ts';
import type { ShownTable } from './feed-topic.ts';
import type { RegistryTable } from '../registry/registry.ts';
import type { ShiftedTable } from '../registry/shift-times.ts';

/** A kind of stored objects, with everything that applies to all kinds. */
export interface StoredTable extends DumpedTable, RegistryTable, ShiftedTable, ShownTable {}
