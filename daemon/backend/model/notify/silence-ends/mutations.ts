import { unionOfHandlers } from '../../../../../shared/domain/notify/notification-log.ts';
import type { HandledEvent } from '../../../../../shared/schemas/handler-job.ts';
import type { HandlerSet } from '../../../../../shared/schemas/notification-log.ts';
import type { Transaction } from '../../transaction/transaction.ts';
import type { Namespace } from '../../registry/namespace.ts';
import { PendingResolution, pendingResolutionsOf } from './state.ts';
import { PENDING_RESOLUTIONS } from './storage.ts';

/**
 * Stores a resolution that handlers get later, when no silence covers it any more. If the check already has a pending
 * resolution, the new resolution replaces it and is for the handlers of both.
 */
export function deferResolution(
  transaction: Transaction,
  namespace: Namespace,
  event: HandledEvent,
  handlers: HandlerSet,
): void {
  const { client, check, silenced_by: silencedBy } = event;
  const existing = pendingResolutionsOf(namespace).get(client.name, check.name);
  const details = { handlers: unionOfHandlers(existing?.handlers, handlers) ?? handlers, silencedBy };
  const pending = new PendingResolution(namespace.name, client.name, check.name, details);
  pendingResolutionsOf(namespace).put(pending);
  transaction.writeRecord(PENDING_RESOLUTIONS, pending, event);
}

/** Removes a pending resolution from memory and from the store. */
export function removePendingResolution(
  transaction: Transaction,
  namespace: Namespace,
  pending: PendingResolution,
): void {
  pendingResolutionsOf(namespace).remove(pending);
  transaction.deleteRecord(PENDING_RESOLUTIONS, pending);
}

/**
 * Moves the pending resolution of a renamed check to the new name. If the new name already has a pending resolution,
 * both resolutions stay unchanged.
 */
export function renamePendingResolution(
  transaction: Transaction,
  namespace: Namespace,
  { client, from, to }: { readonly client: string; readonly from: string; readonly to: string },
): void {
  const pending = pendingResolutionsOf(namespace).get(client, from);
  if (pending === undefined || pendingResolutionsOf(namespace).get(client, to) !== undefined) return;
  if (!transaction.hasBody(PENDING_RESOLUTIONS, pending)) return;
  const event = transaction.body(PENDING_RESOLUTIONS, pending);
  removePendingResolution(transaction, namespace, pending);
  deferResolution(transaction, namespace, { ...event, check: { ...event.check, name: to } }, pending.handlers);
}
