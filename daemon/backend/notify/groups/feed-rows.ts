import { computeGroupId } from '../../../../shared/domain/notify/group-key.ts';
import { GROUP_SEARCH } from '../../../../shared/domain/list-searches.ts';
import { isRunningHandler } from '../../../../shared/schemas/handler.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import { namespacedTopic, type Topic } from '../../model/tables/feed-topic.ts';
import { groupRow } from './queries.ts';
import { groupsOf } from '../../model/notify/groups/state.ts';
import { nextGroupFlushAtMs } from './flush.ts';

/** Returns the feed topic `groups`, with one row for each group of a handler. */
export function groupTopic(definitions: Pick<Definitions, 'inNamespace' | 'generation'>): Topic {
  const topic = namespacedTopic({
    name: 'groups',
    search: GROUP_SEARCH,
    *all(namespace) {
      for (const group of groupsOf(namespace).all()) yield [group.id, group];
    },
    changed(namespace, changes) {
      const groups = changes.flatMap((change) => {
        if (change[0] !== 'group') return [];
        const [, name, handler, key] = change;
        return [[computeGroupId(name, handler, key), namespace && groupsOf(namespace).get(handler, key)] as const];
      });
      return new Map(groups);
    },
    row: (group) => groupRow(group, nextGroupFlushAtMs(definitions, group)),
  });
  let cachedRevision = { generation: -1, groupingSettings: '' };
  return {
    ...topic,
    // If an interval of a handler changes, the rows of all its groups get a new flush time, although no group has
    // changed. A change of this revision makes the feed send these rows again.
    revision(registry) {
      const { generation } = definitions;
      if (cachedRevision.generation !== generation) {
        const groupingSettings = [...registry.namespaces()].map(({ name }) => [
          name,
          groupingSettingsOf(definitions, name),
        ]);
        cachedRevision = { generation, groupingSettings: JSON.stringify(groupingSettings) };
      }
      return cachedRevision.groupingSettings;
    },
  };
}

function groupingSettingsOf(definitions: Pick<Definitions, 'inNamespace'>, namespace: string): unknown[] {
  return [...definitions.inNamespace(namespace).handlers()].flatMap(([name, handler]) =>
    !isRunningHandler(handler) || handler.group_by === undefined
      ? []
      : [[name, handler.group_by, handler.group_wait, handler.group_interval, handler.repeat_interval]],
  );
}
