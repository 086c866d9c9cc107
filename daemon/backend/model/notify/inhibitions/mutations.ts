import {
  equalValuesKey,
  isInhibitor,
  type InhibitionRule,
} from '../../../../../shared/domain/notify/inhibition-rule.ts';
import type { Event } from '../../../../../shared/schemas/event.ts';
import type { Transaction } from '../../transaction/transaction.ts';
import type { Namespace } from '../../registry/namespace.ts';
import { inhibitorsOf, type InhibitorRecord } from './state.ts';
import { INHIBITORS } from './storage.ts';

/**
 * Updates the inhibitor records of an open event: one record for each of `rules` under which the event inhibits other
 * events. All other records of the event are removed. Unchanged records are not written again.
 */
export function updateInhibitorRecords(
  transaction: Transaction,
  namespace: Namespace,
  rules: readonly InhibitionRule[],
  event: Event,
): void {
  const { client, check } = event;
  const recordedInhibitors = inhibitorsOf(namespace).ofEvent(client.name, check.name);
  const inhibitors = new Map<string, InhibitorRecord>();
  for (const rule of rules) {
    if (!isInhibitor(rule, namespace.name, event)) continue;
    const { name, fingerprint } = rule;
    inhibitors.set(name, {
      rule: name,
      client: client.name,
      check: check.name,
      fingerprint,
      key: equalValuesKey(rule, event),
    });
  }
  for (const inhibitor of recordedInhibitors.values()) {
    if (!inhibitors.has(inhibitor.rule)) transaction.remove(INHIBITORS, namespace, inhibitor);
  }
  for (const [rule, inhibitor] of inhibitors) {
    const previous = recordedInhibitors.get(rule);
    if (previous?.fingerprint === inhibitor.fingerprint && previous.key === inhibitor.key) continue;
    transaction.put(INHIBITORS, namespace, inhibitor, inhibitor);
  }
}

/**
 * Removes all inhibitor records of an event that resolved or was deleted. Handlers are not notified at once of the
 * events that it had inhibited: the next results of those events notify them.
 */
export function removeInhibitorRecords(
  transaction: Transaction,
  namespace: Namespace,
  client: string,
  check: string,
): void {
  const inhibitors = inhibitorsOf(namespace);
  if (inhibitors.size === 0) return;
  for (const inhibitor of inhibitors.ofEvent(client, check).values()) {
    transaction.remove(INHIBITORS, namespace, inhibitor);
  }
}
