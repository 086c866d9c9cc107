import type { Event } from '../../schemas/event.ts';
import { readAttributePath, attributeText, textItemsOf } from '../attributes.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { clientSubscription } from '../subscription.ts';

/**
 * Maximum length of an attribute value in a group key, in characters. A longer value is truncated, and a hash of the
 * full value is appended.
 */
const GROUP_VALUE_LENGTH_MAX = 100;

/** The key of a group: the attribute values that all events of the group have in common. */
export interface GroupKey {
  /** The text that identifies the group. It is unique among the groups of a handler in a namespace. */
  readonly key: string;
  /** The names and values of the attributes, in the order of `group_by`. */
  readonly by: readonly (readonly [name: string, value: string])[];
}

/**
 * Returns the group key of an event (grouping 1). A missing attribute counts as an empty text. A value of more than 100
 * characters is truncated, and a hash of the full value is appended.
 *
 * @param names the attributes to group by
 */
export function computeGroupKey(names: readonly string[], event: Pick<Event, 'client' | 'check'>): GroupKey {
  const by = names.map((name) => [name, truncateValue(groupValue(name, event))] as const);
  return { key: JSON.stringify(by), by };
}

/**
 * True if a group key consists of these attributes in this order. If not, `group_by` of the handler has changed since
 * the group was created, and the events of the group must move to other groups.
 */
export function isGroupedBy({ by }: Pick<GroupKey, 'by'>, names: readonly string[]): boolean {
  return by.length === names.length && by.every(([name], index) => name === names[index]);
}

/** Returns the id of a group for receivers. All notifications of the group have the same id. */
export function computeGroupId(namespace: string, handler: string, key: string): string {
  return fingerprintOf({ namespace, handler, key });
}

/** Returns the label of a group for display, such as `datacenter=fra, check=disk`. An empty value is shown as `-`. */
export function formatGroupLabel(by: GroupKey['by']): string {
  if (by.length === 0) return 'all events';
  return by.map(([name, value]) => `${name}=${value === '' ? '-' : value}`).join(', ');
}

function groupValue(name: string, { client, check }: Pick<Event, 'client' | 'check'>): string {
  switch (name) {
    case 'client':
      return client.name;
    case 'check':
      return check.name;
    case 'subscription':
      return subscriptionsInCommon({ client, check }).join(',');
    default: {
      const [owner, ...path] = name.split('.');
      return attributeText(readAttributePath(owner === 'client' ? client : check, path));
    }
  }
}

/**
 * Returns the subscriptions that a client and a check have in common, sorted. If there are none, returns all
 * subscriptions of the client except `client:NAME`, which only this client has.
 */
function subscriptionsInCommon({ client, check }: Pick<Event, 'client' | 'check'>): string[] {
  const subscribers = textItemsOf(check['subscribers']);
  const shared = client.subscriptions.filter((name) => subscribers.includes(name));
  const ownSubscription = clientSubscription(client.name);
  const named = shared.length > 0 ? shared : client.subscriptions.filter((name) => name !== ownSubscription);
  return [...new Set(named)].toSorted();
}

function truncateValue(value: string): string {
  return value.length <= GROUP_VALUE_LENGTH_MAX
    ? value
    : `${value.slice(0, GROUP_VALUE_LENGTH_MAX).toWellFormed()}#${fingerprintOf({ value })}`;
}
