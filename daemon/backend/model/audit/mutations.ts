import { boundedAuditText, boundedAuditValue } from '../../../../shared/domain/audit.ts';
import { DEFINITION_REDACT_KEYS, redact } from '../../../../shared/domain/redact.ts';
import type { Actor, AuditAction, AuditEntry } from '../../../../shared/schemas/audit.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { Transaction } from '../transaction/transaction.ts';
import { AUDIT_HEAD_KEY, auditKey } from './storage.ts';

/** Returns the actor for changes that the backend itself makes. @param how text that names the trigger of the change */
export function backendActor(how: string): Actor {
  return { who: 'mon', from: null, how };
}

/**
 * Returns the name of an object for the audit trail. The namespace is omitted if it is `default`, because the v1 API
 * has no namespaces.
 */
export function auditTarget(namespace: string, name: string): string {
  return namespace === DEFAULT_NAMESPACE ? name : `${namespace}/${name}`;
}

/** The actor for changes that no user requested over the API. */
export const BACKEND_ACTOR = backendActor('backend');

/**
 * A change for the audit trail. Texts and values above the maximum length are shortened when the change is recorded.
 */
export interface AuditedChange {
  readonly action: AuditAction;
  readonly target: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly reason?: string | null | undefined;
}

/** Records an action and its actor in the audit trail, in the same transaction as the change itself. */
export function recordAudit(transaction: Transaction, actor: Actor, change: AuditedChange): void {
  const { action, target, before = null, after = null, reason = null } = change;
  appendRecord(transaction, {
    who: boundedAuditText(actor.who),
    ...(actor.on_behalf_of !== undefined && { on_behalf_of: boundedAuditText(actor.on_behalf_of) }),
    ...(actor.issuer !== undefined && { issuer: boundedAuditText(actor.issuer) }),
    ...(actor.subject !== undefined && { subject: boundedAuditText(actor.subject) }),
    from: actor.from,
    how: boundedAuditText(actor.how),
    action,
    target: boundedAuditText(target),
    before: boundedAuditValue(redact(before, DEFINITION_REDACT_KEYS)),
    after: boundedAuditValue(redact(after, DEFINITION_REDACT_KEYS)),
    reason: reason === null ? null : boundedAuditText(reason),
  });
}

function appendRecord(transaction: Transaction, entry: AuditEntry): void {
  const { audit } = transaction.registry;
  const { record, trimmed } = audit.append(entry, transaction.nowMs);
  transaction.write(auditKey(record.id), JSON.stringify(record));
  for (const id of trimmed) transaction.erase(auditKey(id));
  transaction.write(AUDIT_HEAD_KEY, JSON.stringify(audit.head));
}

/** The method that commits a change; the batcher implements it. */
interface Commits {
  run(change: (transaction: Transaction) => void): Promise<void>;
}

/** Records actions in the audit trail, if the action itself changes nothing in the store. */
export class Audit {
  readonly #batcher: Commits;

  constructor(batcher: Commits) {
    this.#batcher = batcher;
  }

  /** @throws MonError `unavailable` if the record cannot be committed */
  record(actor: Actor, change: AuditedChange): Promise<void> {
    return this.#batcher.run((transaction) => recordAudit(transaction, actor, change));
  }
}
