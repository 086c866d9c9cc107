import type { DumpedTable } from './dump-table.ts';
import type { ShownTable } from './topic.ts';
import type { HeldTable } from '../registry/registry.ts';
import type { ShiftedTable } from '../registry/shift-times.ts';

/** A kind of what is stored, as everything asks it that goes over all of them. */
export interface StoredTable extends DumpedTable, HeldTable, ShiftedTable, ShownTable {}
