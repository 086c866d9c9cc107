import { API_KEYS, SESSIONS, TOKEN_KEY, USERS } from '../access/storage.ts';
import { AGGREGATE_DELETIONS } from '../aggregates/storage.ts';
import { AUDIT_HEAD } from '../audit/storage.ts';
import { CLIENTS, CLIENT_BANS, TOMBSTONES } from '../clients/storage.ts';
import { DEFINITIONS } from '../definitions/storage.ts';
import { CHECK_RECORDS } from '../events/storage.ts';
import type { Topic } from './feed-topic.ts';
import { GROUPED_EVENTS, LAST_NOTIFICATIONS, HANDLER_GROUPS } from '../notify/groups/storage.ts';
import { INHIBITORS, EVALUATED_INHIBITION_RULES } from '../notify/inhibitions/storage.ts';
import { PENDING_RESOLUTIONS } from '../notify/silence-ends/storage.ts';
import { OVERRIDES } from '../on-call/storage.ts';
import { NAMESPACES } from '../namespaces/storage.ts';
import { PLANS } from '../plans/storage.ts';
import { AGENT_SPOOLS, SERIES, TTL_DEFINITIONS } from '../results/storage.ts';
import { SILENCE_RECORDS, SILENCED_USES } from '../silences/storage.ts';
import { TIMELINE_HEAD } from '../timeline/storage.ts';
import { STASHES } from '../stashes/storage.ts';
import type { StoredTable } from './stored-table.ts';

/**
 * All kinds of objects that are stored and kept in memory; add a new kind here. Objects are loaded, and feed rows are
 * sent, in this order: clients before their results, and silences before the events that they silence.
 */
export const TABLES: readonly StoredTable[] = [
  SILENCE_RECORDS,
  SILENCED_USES,
  PLANS,
  CLIENTS,
  AGGREGATE_DELETIONS,
  CHECK_RECORDS,
  SERIES,
  HANDLER_GROUPS,
  GROUPED_EVENTS,
  LAST_NOTIFICATIONS,
  PENDING_RESOLUTIONS,
  INHIBITORS,
  EVALUATED_INHIBITION_RULES,
  TTL_DEFINITIONS,
  STASHES,
  OVERRIDES,
  AGENT_SPOOLS,
  CLIENT_BANS,
  TOMBSTONES,
  DEFINITIONS,
  NAMESPACES,
  USERS,
  API_KEYS,
  SESSIONS,
  TOKEN_KEY,
  AUDIT_HEAD,
  TIMELINE_HEAD,
];

/** The feed topics of stored objects, in the order of `TABLES`. */
export const TOPICS: readonly Topic[] = TABLES.flatMap(({ topic }) => topic ?? []);
