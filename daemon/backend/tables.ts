import { API_KEYS, SESSIONS, TOKEN_KEY, USERS } from './access/table.ts';
import { AGGREGATE_DELETIONS } from './aggregates/table.ts';
import { AUDIT_HEAD } from './audit/table.ts';
import { CLIENTS, INVALIDATED, TOMBSTONES } from './clients/table.ts';
import { DEFINITIONS } from './definitions/table.ts';
import { CHECK_RECORDS } from './events/table.ts';
import { NAMESPACES } from './namespaces/table.ts';
import { PLANS } from './plans/table.ts';
import type { HeldTable } from './registry/registry.ts';
import type { ShiftedTable } from './registry/shift-times.ts';
import { AGENT_SPOOLS } from './results/table.ts';
import { SILENCED, SILENCED_USES } from './silences/table.ts';
import { STASHES } from './stashes/table.ts';

/** Every kind of what is stored and held in memory, in the order in which it is read. A new noun has its line here. */
export const TABLES: readonly (HeldTable & ShiftedTable)[] = [
  CLIENTS,
  AGGREGATE_DELETIONS,
  CHECK_RECORDS,
  SILENCED,
  SILENCED_USES,
  STASHES,
  AGENT_SPOOLS,
  INVALIDATED,
  TOMBSTONES,
  DEFINITIONS,
  NAMESPACES,
  PLANS,
  USERS,
  API_KEYS,
  SESSIONS,
  TOKEN_KEY,
  AUDIT_HEAD,
];
