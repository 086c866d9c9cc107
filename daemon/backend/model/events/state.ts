import type { StoredEvents } from '../../../../shared/domain/filter-event.ts';
import type { Client } from '../../../../shared/schemas/client.ts';
import type { Namespace } from '../registry/namespace.ts';

/** An assumption about whether an event is open; it overrides the registry. */
export interface HypotheticalEvent {
  readonly client: Client;
  readonly check: string;
  readonly isOpen: boolean;
}

/**
 * Returns the open events of a namespace, for filters that depend on other events.
 *
 * @param assumed assumption about one event, to evaluate the filters for a hypothetical result
 */
export function openEvents(namespace: Namespace, assumed?: HypotheticalEvent): StoredEvents {
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
      // Iterates over the open events, because far fewer clients have an open event of this check than have the
      // subscription.
      for (const { client } of namespace.openEvents.eventsOfCheck(check)) {
        if (!isAssumed(client.name, check) && client.subscriptions.includes(subscription)) return true;
      }
      return false;
    },
  };
}
