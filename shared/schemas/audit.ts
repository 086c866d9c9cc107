import { z } from 'zod';
import { responseSchema, type ResponseOf } from './response.ts';

/** Names of operator actions in the audit trail. Results and keepalives are not operator actions. */
export type AuditAction =
  | 'silence.create'
  | 'silence.replace'
  | 'silence.restore'
  | 'silence.clear'
  | 'silence.expire'
  | 'event.acknowledge'
  | 'event.unacknowledge'
  | 'on-call.override'
  | 'on-call.override-delete'
  | 'on-call.swap'
  | 'event.resolve'
  | 'event.delete'
  | 'result.delete'
  | 'client.create'
  | 'client.change'
  | 'client.delete'
  | 'check.delete'
  | 'check.rename'
  | 'check.request'
  | 'aggregate.delete'
  | 'stash.delete'
  | 'user.create'
  | 'user.change'
  | 'user.disable'
  | 'user.log-in'
  | 'user.log-out'
  | 'apikey.create'
  | 'apikey.revoke'
  | 'settings.read'
  | 'dump'
  | 'restore'
  | 'definition.create'
  | 'definition.change'
  | 'definition.delete'
  | 'namespace.create'
  | 'namespace.delete'
  | 'dead-letter.retry'
  | 'dead-letter.drop'
  | 'handler.test'
  | 'store.upgrade'
  | 'cluster.hand-over'
  | 'cluster.remove'
  | 'cluster.local-administrator'
  | 'upgrade.create'
  | 'upgrade.order'
  | 'bulk'
  | 'undo';

/**
 * An audit record: an action of an operator, or of the backend on an operator's behalf (security S22). The schema is
 * loose, because the hash covers all attributes, including those that a newer backend adds.
 */
export const auditRecordResponse = z.looseObject({
  /** Number of the record. Records are numbered from 1 without gaps. */
  id: z.number(),
  /** Time of the action in epoch milliseconds; never earlier than that of the previous record. */
  at: z.number(),
  /**
   * The authenticated user. Without authentication: the user that the request names, else `anonymous`. `mon`: the
   * backend itself.
   */
  who: z.string(),
  /** The user that an authenticated request names, if it is not the authenticated user. */
  on_behalf_of: z.string().exactOptional(),
  /** The identity provider of the user, if the user logged in there. */
  issuer: z.string().exactOptional(),
  /** The permanent id of the user at the identity provider. */
  subject: z.string().exactOptional(),
  /** IP address of the caller; null if the backend itself acted. */
  from: z.string().nullable(),
  /** Method and path of the request, or the reason for an action of the backend. */
  how: z.string(),
  action: z.string(),
  /**
   * The changed object: `client/check` of an event or result, the id of a silence, otherwise a name. Outside of
   * `default`, the namespace precedes it.
   */
  target: z.string(),
  /** The previous value; null if there was none. Secrets are redacted, and a long value is cut. */
  before: z.unknown(),
  /** The new value; null if there is none. Secrets are redacted, and a long value is cut. */
  after: z.unknown(),
  reason: z.string().nullable(),
  /** The hash of the previous record; empty in the record with the id 1. */
  previous: z.string(),
  /** Hash of this record, including `previous`; see `auditHash` in `shared/domain/audit.ts`. */
  hash: z.string(),
});
export type AuditRecord = ResponseOf<typeof auditRecordResponse>;
/** An audit record before it is appended to the trail, which adds its id, time and hashes. */
export type AuditEntry = Omit<AuditRecord, 'id' | 'at' | 'previous' | 'hash'>;
/** The user who performed an action, with the address and the request. */
export type Actor = Pick<AuditEntry, 'who' | 'on_behalf_of' | 'issuer' | 'subject' | 'from' | 'how'>;

/** The ids of the first and the last audit record: `GET /api/mon/v1/audit/head`. */
export const auditHeadResponse = responseSchema(
  z.looseObject({
    /** Id of the oldest stored record; `last` plus one if no record is stored. */
    first: z.number(),
    /** Id of the newest record; 0 if there never was one. */
    last: z.number(),
    /** Hash of the newest record. */
    hash: z.string(),
    /** Time of the newest record, in epoch milliseconds. */
    at: z.number(),
  }),
);
export type AuditHead = z.infer<typeof auditHeadResponse>;
