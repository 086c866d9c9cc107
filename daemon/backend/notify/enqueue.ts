import { buildSingleEventGroup } from '../../../shared/domain/notify/group-document.ts';
import type { RoutedHandler } from '../../../shared/domain/notify/route.ts';
import type { HandledEvent } from '../../../shared/schemas/handler-job.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { enqueueJob } from '../model/notify/delivery/mutations.ts';
import { addToGroup } from '../model/notify/groups/mutations.ts';

/**
 * Adds an event to its group if the handler has `group_by`. Otherwise, or if a limit on groups is reached, enqueues a
 * handler run that sends only this event.
 */
export function enqueueOrGroup(
  transaction: Transaction,
  namespace: Namespace,
  handler: RoutedHandler,
  event: HandledEvent,
): void {
  const { name } = handler;
  const groupBy = groupByOf(handler);
  if (groupBy !== undefined && addToGroup(transaction, namespace, { handlerName: name, groupBy }, event)) return;
  enqueueUngrouped(transaction, namespace, handler, event);
}

/**
 * Enqueues a run of a handler for one event. A handler with `group_by` gets the event as a group with a single event.
 */
export function enqueueUngrouped(
  transaction: Transaction,
  namespace: Namespace,
  handler: RoutedHandler,
  event: HandledEvent,
): void {
  const { name } = handler;
  const groupBy = groupByOf(handler);
  const group = groupBy && buildSingleEventGroup({ namespace: namespace.name, handler: name }, groupBy, event);
  enqueueJob(transaction, namespace, name, event, group);
}

function groupByOf(handler: RoutedHandler): readonly string[] | undefined {
  return handler.kind === 'handler' ? handler.definition?.group_by : undefined;
}
