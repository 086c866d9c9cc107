import { CLIENT_SEARCH } from '../../../../shared/domain/list-searches.ts';
import type { ClientRow } from '../../../../shared/schemas/feed.ts';
import { namespacedTopic } from '../tables/feed-topic.ts';
import type { ClientEntry } from '../registry/namespace.ts';

export function clientRow({ name, address, subscriptions, timestamp, version, profile }: ClientEntry): ClientRow {
  return { name, address, subscriptions, timestamp, version, ...(!profile.sendsKeepalives && { keepalives: false }) };
}

export const CLIENT_TOPIC = namespacedTopic({
  name: 'clients',
  search: CLIENT_SEARCH,
  *all(namespace) {
    for (const client of namespace.sortedClients()) {
      if (namespace.clients.get(client.name) === client) yield [client.name, client];
    }
  },
  changed(namespace, changes) {
    const names = changes.flatMap((change) => (change[0] === 'client' ? change[2] : []));
    return new Map(names.map((name) => [name, namespace?.clients.get(name)]));
  },
  row: clientRow,
});
