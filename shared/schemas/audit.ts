import { z } from 'zod';
import { answer, type AnswerOf } from './answer.ts';

/** Actions of operators, by their names in the audit trail. Results and keepalives are no actions of operators. */
export type AuditAction =
  | 'silence.create'
  | 'silence.replace'
  | 'silence.restore'
  | 'silence.clear'
  | 'silence.expire'
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
  | 'cluster.local-administrator'
  | 'upgrade.create'
  | 'upgrade.order'
  | 'bulk'
  | 'undo';

/**
 * An audit record: an action of an operator, or of the backend on an operator's behalf (security S22). The schema is
 * loose, because the hash covers all attributes, including those that a newer backend adds.
 */
export const auditRecordAnswer = z.looseObject({
  /** Counts from 1 without gaps. */
  id: z.number(),
  /** Epoch milliseconds; never earlier than in the previous record. */
  at: z.number(),
  /** The authenticated user, else the user that the request names, else `anonymous`; `mon`: the backend itself. */
  who: z.string(),
  /** The user that an authenticated request names, if it is another one. */
  on_behalf_of: z.string().exactOptional(),
  /** Address of the caller; null: the backend itself. */
  from: z.string().nullable(),
  /** Method and path of the request, or the reason for an action of the backend. */
  how: z.string(),
  action: z.string(),
  /**
   * `client/check` of an event or result, the id of a silence, else a name; outside of `default` prefixed with the
   * namespace.
   */
  target: z.string(),
  /** The previous value; null if there was none. It is redacted, and cut if it is long. */
  before: z.unknown(),
  /** The new value; null if there is none. */
  after: z.unknown(),
  reason: z.string().nullable(),
  /** The hash of the previous record; empty for the first record of all. */
  previous: z.string(),
  /** See `shared/domain/audit.ts`. */
  hash: z.string(),
});
export type AuditRecord = AnswerOf<typeof auditRecordAnswer>;
/** An action that is not yet a record of the trail. */
export type AuditEntry = Omit<AuditRecord, 'id' | 'at' | 'previous' | 'hash'>;
/** The actor of an action, and its origin. */
export type Actor = Pick<AuditEntry, 'who' | 'on_behalf_of' | 'from' | 'how'>;

/** The first and last record of the trail: `GET /api/mon/v1/audit/head`. */
export const auditHeadAnswer = answer(
  z.looseObject({
    /** The oldest retained record; `last` plus one if there is none. */
    first: z.number(),
    /** The newest record; 0 if there never was one. */
    last: z.number(),
    /** Hash of the newest record. */
    hash: z.string(),
    /** Time of the newest record, epoch milliseconds. */
    at: z.number(),
  }),
);
export type AuditHead = z.infer<typeof auditHeadAnswer>;
