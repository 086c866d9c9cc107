import type { Event } from '../../schemas/event.ts';
import { attributeAt, attributeText, textsIn } from '../attributes.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { clientSubscription } from '../subscription.ts';

/** Characters of a value that count as they are. */
const VALUE_MAX = 100;

/** What the events of a group have in common. */
export interface GroupPlace {
  /** Tells the groups of one handler apart. */
  readonly key: string;
  /** In the order of `group_by`. */
  readonly by: readonly (readonly [name: string, value: string])[];
}

/**
 * The group of an event (grouping 1). An attribute that is not there is the empty text; a long one is cut, with a
 * number made of all of it.
 */
export function groupPlace(names: readonly string[], event: Pick<Event, 'client' | 'check'>): GroupPlace {
  const by = names.map((name) => [name, shortened(valueOf(name, event))] as const);
  return { key: JSON.stringify(by), by };
}

/** Whether a group was made by these names: with others its events belong elsewhere. */
export function isGroupedBy({ by }: Pick<GroupPlace, 'by'>, names: readonly string[]): boolean {
  return by.length === names.length && by.every(([name], at) => name === names[at]);
}

/** Whom a group is of, for receivers: the same for all of its runs. */
export function groupId(namespace: string, handler: string, key: string): string {
  return fingerprintOf({ namespace, handler, key });
}

/** `datacenter=fra, check=disk`, in the words of people. */
export function groupLabel(by: GroupPlace['by']): string {
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

/** Those by which the check came to the client; of a check that names none, all of the client but its own. */
function subscriptionsOf({ client, check }: Pick<Event, 'client' | 'check'>): string[] {
  const subscribers = textsIn(check['subscribers']);
  const shared = client.subscriptions.filter((name) => subscribers.includes(name));
  const own = clientSubscription(client.name);
  const named = shared.length > 0 ? shared : client.subscriptions.filter((name) => name !== own);
  return [...new Set(named)].toSorted();
}

function shortened(value: string): string {
  return value.length <= VALUE_MAX ? value : `${value.slice(0, VALUE_MAX).toWellFormed()}#${fingerprintOf({ value })}`;
}
