import type { StoredEvents } from '../../../shared/domain/filter-event.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { Namespace } from '../registry/namespace.ts';

/** One event that is or is not there, whatever the registry says. */
export interface AssumedEvent {
  readonly client: Client;
  readonly check: string;
  readonly isOpen: boolean;
}

/**
 * The open events of a namespace, for filters that ask about others.
 *
 * @param assumed what a result that never comes would have made of its own event
 */
export function openEvents(namespace: Namespace, assumed?: AssumedEvent): StoredEvents {
  const isAssumed = (client: string, check: string): boolean =>
    assumed !== undefined && check === assumed.check && client === assumed.client.name;
  return {
    has(client, check) {
      if (isAssumed(client, check)) return assumed?.isOpen === true;
      return namespace.check(client, check)?.state.event !== undefined;
    },
    hasOfSubscription(subscription, check) {
      if (assumed?.isOpen === true && check === assumed.check && assumed.client.subscriptions.includes(subscription)) {
        return true;
      }
      // Far fewer clients have the event than have the subscription.
      for (const { client } of namespace.openEvents.of(check)) {
        if (!isAssumed(client.name, check) && client.subscriptions.includes(subscription)) return true;
      }
      return false;
    },
  };
}
