import { isExpired } from '../../../../shared/domain/expiry.ts';
import { SILENCED_SEARCH } from '../../../../shared/domain/list-searches.ts';
import { toCurrentWindow, silencedRow } from '../../../../shared/domain/silencing.ts';
import { namespacedTopic } from '../tables/feed-topic.ts';
import { idOfChange } from './state.ts';

export const SILENCED_TOPIC = namespacedTopic({
  name: 'silenced',
  search: SILENCED_SEARCH,
  *all({ silenced }) {
    for (const entry of silenced.all()) yield [entry.id, entry];
  },
  changed(namespace, changes) {
    const ids = changes.flatMap((change) => (change[0] === 'silenced' ? idOfChange(change) : []));
    return new Map(ids.map((id) => [id, namespace?.silenced.get(id)]));
  },
  row(kept, nowMs) {
    const entry = toCurrentWindow(kept, nowMs);
    return isExpired(entry, nowMs) ? null : silencedRow(entry);
  },
});
