import { z } from 'zod';

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
  | 'store.upgrade'
  | 'cluster.hand-over'
  | 'upgrade.create'
  | 'upgrade.order'
  | 'bulk'
  | 'undo';

/** Who does something, and from where. */
export interface Actor {
  /** The user whose credentials were shown, else who the request says it is from, else `anonymous`; `mon`: the backend itself. */
  readonly who: string;
  /** Whom the request of an authenticated user names, when that is somebody else. */
  readonly on_behalf_of?: string;
  /** Address of the caller; null: the backend itself. */
  readonly from: string | null;
  /** Method and path of the request, or what made the backend do it. */
  readonly how: string;
}

/** An action of an operator, or what the backend did in an operator's name (security S22). */
export interface AuditEntry extends Actor {
  readonly action: string;
  /** `client/check` of an event or result, the id of a silenced entry, else a name; outside of `default` behind its namespace. */
  readonly target: string;
  /** What was there; null: nothing. Redacted, and cut when it is long. */
  readonly before: unknown;
  /** What is there now; null: nothing. */
  readonly after: unknown;
  readonly reason: string | null;
}

/** An entry in its place in the trail. */
export interface AuditRecord extends AuditEntry {
  /** From 1, without a gap. */
  readonly id: number;
  /** Epoch milliseconds; never before the record that it follows. */
  readonly at: number;
  /** The hash of the record before it; empty for the first of all. */
  readonly previous: string;
  /** See `shared/domain/audit.ts`. */
  readonly hash: string;
}

/** Where the trail begins and ends: `GET /api/mon/v1/audit/head`. */
export interface AuditHead {
  /** The oldest record that is kept; one more than `last` when there is none. */
  readonly first: number;
  /** The newest record; 0: there never was one. */
  readonly last: number;
  /** Of the newest record. */
  readonly hash: string;
  /** Of the newest record, epoch milliseconds. */
  readonly at: number;
}

// Loose, because the hash is of all attributes: also of those that a newer backend adds.
export const auditRecordAnswer: z.ZodType<AuditRecord> = z.looseObject({
  id: z.number(),
  at: z.number(),
  who: z.string(),
  on_behalf_of: z.string().exactOptional(),
  from: z.string().nullable(),
  how: z.string(),
  action: z.string(),
  target: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  reason: z.string().nullable(),
  previous: z.string(),
  hash: z.string(),
});

/** As callers rely on it, see `answer.ts`. */
export const auditHeadAnswer: z.ZodType<AuditHead> = z.looseObject({
  first: z.number(),
  last: z.number(),
  hash: z.string(),
  at: z.number(),
});
