import type { Event } from '../../schemas/event.ts';
import { attributeAt, attributeText, textsIn } from '../attributes.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { clientSubscription } from '../subscription.ts';

/** Longest value in a group key, in characters; a longer one is truncated and gets a hash. */
const VALUE_MAX = 100;

/** The attribute values that the events of a group have in common. */
export interface GroupKey {
  /** The key that identifies the group within its handler. */
  readonly key: string;
  /** The values in the order of `group_by`. */
  readonly by: readonly (readonly [name: string, value: string])[];
}

/**
 * Returns the group key of an event (grouping 1). A missing attribute counts as the empty text. A long one is
 * truncated, and a hash of the whole value is appended.
 */
export function groupKey(names: readonly string[], event: Pick<Event, 'client' | 'check'>): GroupKey {
  const by = names.map((name) => [name, truncateValue(valueOf(name, event))] as const);
  return { key: JSON.stringify(by), by };
}

/** True if a group was made with these names; otherwise its events must move to other groups. */
export function isGroupedBy({ by }: Pick<GroupKey, 'by'>, names: readonly string[]): boolean {
  return by.length === names.length && by.every(([name], at) => name === names[at]);
}

/** Returns the id of a group for receivers, the same in all its runs. */
export function groupId(namespace: string, handler: string, key: string): string {
  return fingerprintOf({ namespace, handler, key });
}

/** Returns a label for display, such as `datacenter=fra, check=disk`. */
export function groupLabel(by: GroupKey['by']): string {
  if (by.length === 0) return 'all events';
  return by.map(([name, value]) => `${name}=${value === '' ? '-' : value}`).join(', ');
}

function valueOf(name: string, { client, check }: Pick<Event, 'client' | 'check'>): string {
  switch (name) {
    case 'client':
      return client.name;
    case 'check':
      return check.name;
    case 'subscription':
      return subscriptionsOf({ client, check }).join(',');
    default: {
      const [owner, ...path] = name.split('.');
      return attributeText(attributeAt(owner === 'client' ? client : check, path));
    }
  }
}

/**
 * Returns the subscriptions that the client shares with the check. If there are none, it returns all of the client
 * except its own.
 */
function subscriptionsOf({ client, check }: Pick<Event, 'client' | 'check'>): string[] {
  const subscribers = textsIn(check['subscribers']);
  const shared = client.subscriptions.filter((name) => subscribers.includes(name));
  const own = clientSubscription(client.name);
  const named = shared.length > 0 ? shared : client.subscriptions.filter((name) => name !== own);
  return [...new Set(named)].toSorted();
}

function truncateValue(value: string): string {
  return value.length <= VALUE_MAX ? value : `${value.slice(0, VALUE_MAX).toWellFormed()}#${fingerprintOf({ value })}`;
}
