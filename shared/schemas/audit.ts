import { z } from 'zod';
import { answer, type AnswerOf } from './answer.ts';

/** What operators can do, by the names of the audit trail. Results and keepalives are no actions of operators. */
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
 * An action of an operator, or what the backend did in an operator's name (security S22), in its place in the trail.
 * Loose, because the hash is of all attributes: also of those that a newer backend adds.
 */
export const auditRecordAnswer = z.looseObject({
  /** From 1, without a gap. */
  id: z.number(),
  /** Epoch milliseconds; never before the record that it follows. */
  at: z.number(),
  /** The user whose credentials were shown, else who the request says it is from, else `anonymous`; `mon`: the backend itself. */
  who: z.string(),
  /** Whom the request of an authenticated user names, when that is somebody else. */
  on_behalf_of: z.string().exactOptional(),
  /** Address of the caller; null: the backend itself. */
  from: z.string().nullable(),
  /** Method and path of the request, or what made the backend do it. */
  how: z.string(),
  action: z.string(),
  /** `client/check` of an event or result, the id of a silenced entry, else a name; outside of `default` behind its namespace. */
  target: z.string(),
  /** What was there; null: nothing. Redacted, and cut when it is long. */
  before: z.unknown(),
  /** What is there now; null: nothing. */
  after: z.unknown(),
  reason: z.string().nullable(),
  /** The hash of the record before it; empty for the first of all. */
  previous: z.string(),
  /** See `shared/domain/audit.ts`. */
  hash: z.string(),
});
export type AuditRecord = AnswerOf<typeof auditRecordAnswer>;
/** What was done, before it has its place in the trail. */
export type AuditEntry = Omit<AuditRecord, 'id' | 'at' | 'previous' | 'hash'>;
/** Who does something, and from where. */
export type Actor = Pick<AuditEntry, 'who' | 'on_behalf_of' | 'from' | 'how'>;

/** Where the trail begins and ends: `GET /api/mon/v1/audit/head`. */
export const auditHeadAnswer = answer(
  z.looseObject({
    /** The oldest record that is kept; one more than `last` when there is none. */
    first: z.number(),
    /** The newest record; 0: there never was one. */
    last: z.number(),
    /** Of the newest record. */
    hash: z.string(),
    /** Of the newest record, epoch milliseconds. */
    at: z.number(),
  }),
);
export type AuditHead = z.infer<typeof auditHeadAnswer>;
