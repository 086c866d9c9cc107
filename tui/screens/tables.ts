import type { AnyTable } from '../list/list-table.ts';
import { AGGREGATES_VIEW } from './aggregates/table.ts';
import { CHECKS_VIEW } from './checks/table.ts';
import { CLUSTER_VIEW } from './cluster/table.ts';
import { CLIENTS_VIEW } from './clients/table.ts';
import { DEAD_LETTERS_VIEW } from './dead-letters/table.ts';
import { EVENTS_VIEW } from './events/table.ts';
import { GROUPS_VIEW } from './groups/table.ts';
import { INHIBITIONS_VIEW } from './inhibitions/table.ts';
import { ON_CALL_VIEW } from './on-call/table.ts';
import { SILENCES_VIEW } from './silences/table.ts';
import type { ViewName } from '../state/view-names.ts';

/** The definitions of the views that are lists. */
export const TABLES_BY_VIEW: Partial<Readonly<Record<ViewName, AnyTable>>> = {
  events: EVENTS_VIEW,
  aggregates: AGGREGATES_VIEW,
  silences: SILENCES_VIEW,
  clients: CLIENTS_VIEW,
  checks: CHECKS_VIEW,
  'dead-letters': DEAD_LETTERS_VIEW,
  groups: GROUPS_VIEW,
  inhibitions: INHIBITIONS_VIEW,
  'on-call': ON_CALL_VIEW,
  cluster: CLUSTER_VIEW,
};

/** Returns the table of a view; `undefined` if the view is a page. */
export function tableOf(view: ViewName): AnyTable | undefined {
  return TABLES_BY_VIEW[view];
}
