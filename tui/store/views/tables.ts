import { AGGREGATES } from './aggregates.ts';
import { CHECKS } from './checks.ts';
import { CLIENTS } from './clients.ts';
import { DEAD_LETTERS } from './dead-letters.ts';
import { SILENCES } from './silences.ts';
import type { AnyTable } from './table-view.ts';
import type { ViewName } from './view-names.ts';

/** Every view that is a table. */
export const TABLES: Partial<Readonly<Record<ViewName, AnyTable>>> = {
  aggregates: AGGREGATES,
  silences: SILENCES,
  clients: CLIENTS,
  checks: CHECKS,
  'dead-letters': DEAD_LETTERS,
};

/** The table of a view; `undefined` for the events, which have a list of their own, and for pages. */
export function tableOf(view: ViewName): AnyTable | undefined {
  return TABLES[view];
}
