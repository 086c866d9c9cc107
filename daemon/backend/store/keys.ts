import type { Key } from '../ports.ts';

/** The key layout, in one place. Every part that comes from outside is a part of its own, never joined. */

/** One record per client and check: the last result and the event together (see `events/check-record.ts`). */
export const CHECK_RECORDS = 'check';
export const checkRecordKey = (namespace: string, client: string, check: string): Key => [
  CHECK_RECORDS,
  namespace,
  client,
  check,
];

/** Client records with their signature. */
export const CLIENTS = 'client';
export const clientKey = (namespace: string, client: string): Key => [CLIENTS, namespace, client];

/** Silenced entries by their two parts; an absent part is the empty string, which no name is. */
export const SILENCED = 'silenced';
export const silencedKey = (namespace: string, subscription: string | null, check: string | null): Key => [
  SILENCED,
  namespace,
  subscription ?? '',
  check ?? '',
];

/** How far each agent's spool was committed. */
export const AGENT_SPOOLS = 'spool';
export const agentSpoolKey = (namespace: string, client: string): Key => [AGENT_SPOOLS, namespace, client];

/** How many deletions of aggregates there had been with that of each one (see `aggregates/state.ts`). */
export const AGGREGATE_DELETIONS = 'aggregate-deletion';
export const aggregateDeletionKey = (namespace: string, aggregate: string): Key => [
  AGGREGATE_DELETIONS,
  namespace,
  aggregate,
];

/** Records of the audit trail, by id. */
const AUDIT = 'audit';
export const auditKey = (id: number): Key => [AUDIT, id];

/** Where the audit trail begins and ends. */
export const AUDIT_HEAD: Key = ['audit-head'];

/** Names of deleted clients that may not come back yet. */
export const INVALIDATED = 'invalidated';
export const invalidatedKey = (namespace: string, client: string): Key => [INVALIDATED, namespace, client];

/** Names of clients that were deleted a short while ago. */
export const TOMBSTONES = 'tombstone';
export const tombstoneKey = (namespace: string, client: string): Key => [TOMBSTONES, namespace, client];

/** Stashes by their path, which is one part whatever slashes it holds. */
export const STASHES = 'stash';
export const stashKey = (namespace: string, path: string): Key => [STASHES, namespace, path];

/** Namespaces that were made over the API. */
export const NAMESPACES = 'namespace';
export const namespaceKey = (name: string): Key => [NAMESPACES, name];

/** Checks, handlers, filters and mutators that were made over the API, as it shows them. */
export const DEFINITIONS = 'definition';
export const definitionKey = (kind: string, namespace: string, name: string): Key => [
  DEFINITIONS,
  kind,
  namespace,
  name,
];

/** Runs of handlers that are not over, and dead letters, in the order of their events. */
export const HANDLER_JOBS = 'handler-job';
export const handlerJobKey = (id: number): Key => [HANDLER_JOBS, id];

/** Why runs of handlers failed for good, by the id of the job, which is kept beside it. */
export const DEAD_LETTERS = 'dead-letter';
export const deadLetterKey = (id: number): Key => [DEAD_LETTERS, id];

/** How often silenced entries kept handlers from running. */
export const SILENCED_USES = 'silenced-use';
export const silencedUseKey = (namespace: string, subscription: string | null, check: string | null): Key => [
  SILENCED_USES,
  namespace,
  subscription ?? '',
  check ?? '',
];

/** Who may get in, of all namespaces: users by name, API keys and sessions by id. */
export const USERS = 'user';
export const userKey = (username: string): Key => [USERS, username];
export const API_KEYS = 'api-key';
export const apiKeyKey = (id: string): Key => [API_KEYS, id];
export const SESSIONS = 'session';
export const sessionKey = (id: string): Key => [SESSIONS, id];
/** What access tokens are signed with. */
export const TOKEN_KEY: Key = ['token-key'];

/** Plans for upgrades that are carried out, by id. */
export const RUNBOOKS = 'upgrade';
export const planKey = (id: number): Key => [RUNBOOKS, id];

/** The newest time that was seen, and the corrections of the clock. */
export const TIME: Key = ['time'];

/**
 * What the store keeps about itself. Its keys begin with a number and all others with a string, so that nothing that is
 * written through the port can reach them.
 */
export const OWN = 0;
/** Names the store for good. */
export const STORE_ID: Key = [OWN, 'id'];
export const SCHEMA_VERSION: Key = [OWN, 'schema'];
/** The backup that is being restored; there while the store holds only a part of it. */
export const RESTORING: Key = [OWN, 'restoring'];
/** The newest epoch of each lease. */
export const EPOCHS: Key = [OWN, 'epoch'];
export const epochKey = (lease: string): Key => [...EPOCHS, lease];
/** The last sequence number of each shard. */
const LAST_SEQS: Key = [OWN, 'seq'];
export const lastSeqKey = (shard: string): Key => [...LAST_SEQS, shard];
/** Change records of a shard in order. */
export const changeRecords = (shard: string): Key => [OWN, 'change', shard];
export const changeKey = (shard: string, seq: number): Key => [...changeRecords(shard), seq];
