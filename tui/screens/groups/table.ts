import { formatGroupLabel } from '../../../shared/domain/notify/group-key.ts';
import { GROUP_SEARCH } from '../../../shared/domain/list-searches.ts';
import { WORST_FIRST } from '../../../shared/domain/severity.ts';
import type { GroupRow } from '../../../shared/schemas/grouping.ts';
import { column, countColumn, textColumn } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import type { LiveData } from '../../model/live-data.ts';
import { NAMESPACE_COLUMN } from '../../model/where-column.ts';
import { isInShownNamespace } from '../../model/shown-namespace.ts';
import type { ScreenView } from '../../state/ports.ts';
import { STATUS } from '../../text/theme.ts';
import { countText } from '../../words/count-text.ts';
import { nextFlushFirst, nextFlushText, NO_GROUP, notifiedText } from '../../words/group-text.ts';

/** The view of the notification groups of handlers with `group_by`. */
export const GROUPS = tableView<GroupRow>({
  name: 'groups',
  nouns: ['group', 'groups'],
  source: {
    keys: (store) => groups(store).keys(),
    row: (store, key) => groups(store).get(key),
  },
  columns: [
    textColumn('handler', 'HANDLER', [10, 24], ({ handler }) => handler, { cut: 'middle' }),
    textColumn(NAMESPACE_COLUMN, 'NAMESPACE', [10, 14], ({ namespace }) => namespace),
    textColumn('group', 'GROUP', [22, 48], ({ by }) => formatGroupLabel(Object.entries(by)), { cut: 'middle' }),
    column('events', 'EVENTS', [10, 12], eventsText, {
      tone: ({ worst = 'unknown', firing }) => (firing === 0 ? 'faint' : STATUS[worst].tone),
      compare: (a, b) => worstRank(a) - worstRank(b) || b.firing - a.firing,
    }),
    countColumn('pending', 'PENDING', ({ pending }) => pending, { least: 8, most: 8, tone: 'strong' }),
    column('notified', 'NOTIFIED', [9, 9], notifiedText, {
      dropRank: 1,
      compare: (a, b) => (b.notified_at ?? 0) - (a.notified_at ?? 0),
    }),
    column('next', 'NEXT', [14, Infinity], nextFlushText, {
      tone: ({ pending }) => (pending > 0 ? 'strong' : 'plain'),
      compare: nextFlushFirst,
    }),
  ],
  sort: 'next',
  search: GROUP_SEARCH,
  empty: () => [NO_GROUP, '', 'A handler with "group_by" sends one notification for many events.'],
  menu: ['open'],
});

/** Returns the worst status and the number of firing events in a group, such as `✗ CRIT 31`. */
function eventsText({ firing, worst = 'unknown' }: GroupRow): string {
  if (firing === 0) return 'resolved';
  return `${STATUS[worst].symbol} ${STATUS[worst].word.padEnd(4)} ${countText(firing)}`;
}

function worstRank({ firing, worst = 'unknown' }: GroupRow): number {
  return firing === 0 ? WORST_FIRST.length : WORST_FIRST.indexOf(worst);
}

/**
 * Returns the groups of the last response that belong to the shown namespace, by key. The map is built once for each
 * response.
 */
function groups({ loads, options }: ScreenView & Pick<LiveData, 'loads'>): ReadonlyMap<string, GroupRow> {
  const { data } = loads.of('groups');
  if (data === undefined) return NONE;
  const byKey =
    memo.get(data) ?? new Map(data.filter(isInShownNamespace(options)).map((group) => [keyOfGroup(group), group]));
  memo.set(data, byKey);
  return byKey;
}

/**
 * Returns the key of a group. It is built from other attributes if the backend has an earlier version, which sends no
 * id.
 */
function keyOfGroup({ id, namespace, handler, by }: GroupRow): string {
  return id ?? JSON.stringify([namespace, handler, by]);
}

const NONE: ReadonlyMap<string, GroupRow> = new Map();
const memo = new WeakMap<readonly GroupRow[], ReadonlyMap<string, GroupRow>>();
