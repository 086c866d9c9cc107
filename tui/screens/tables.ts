import type { AnyTable } from '../list/list-table.ts';
import { AGGREGATES } from './aggregates/table.ts';
import { CHECKS } from './checks/table.ts';
import { CLUSTER } from './cluster/table.ts';
import { CLIENTS } from './clients/table.ts';
import { DEAD_LETTERS } from './dead-letters/table.ts';
import { EVENTS } from './events/table.ts';
import { GROUPS } from './groups/table.ts';
import { INHIBITIONS } from './inhibitions/table.ts';
import { SILENCES } from './silences/table.ts';
import type { ViewName } from '../state/view-names.ts';

/** The definitions of the views that are lists. */
export const TABLES: Partial<Readonly<Record<ViewName, AnyTable>>> = {
  events: EVENTS,
  aggregates: AGGREGATES,
  silences: SILENCES,
  clients: CLIENTS,
  checks: CHECKS,
  'dead-letters': DEAD_LETTERS,
  groups: GROUPS,
  inhibitions: INHIBITIONS,
  cluster: CLUSTER,
};

/** Returns the table of a view; `undefined` if the view is a page. */
export function tableOf(view: ViewName): AnyTable | undefined {
  return TABLES[view];
}
