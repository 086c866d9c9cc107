import { formatGroupLabel } from '../../../shared/domain/notify/group-key.ts';
import { GROUP_SEARCH } from '../../../shared/domain/list-searches.ts';
import { SEVERITIES_WORST_FIRST } from '../../../shared/domain/severity.ts';
import type { GroupRow } from '../../../shared/schemas/grouping.ts';
import { tableColumn, countColumn, textColumn } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import type { LiveData } from '../../model/live-data.ts';
import { NAMESPACE_COLUMN } from '../../model/where-column.ts';
import { isInShownNamespace } from '../../model/shown-namespace.ts';
import type { ScreenView } from '../../state/ports.ts';
import { SEVERITY_STYLES } from '../../text/theme.ts';
import { countText } from '../../words/count-text.ts';
import { compareByNextFlush, nextFlushText, NO_GROUP_TEXT, notifiedText } from '../../words/group-text.ts';

/** The view of the notification groups of handlers with `group_by`. */
export const GROUPS_VIEW = tableView<GroupRow>({
  name: 'groups',
  nouns: ['group', 'groups'],
  source: {
    keys: (store) => groupsByKey(store).keys(),
    row: (store, key) => groupsByKey(store).get(key),
  },
  columns: [
    textColumn('handler', 'HANDLER', [10, 24], ({ handler }) => handler, { cut: 'middle' }),
    textColumn(NAMESPACE_COLUMN, 'NAMESPACE', [10, 14], ({ namespace }) => namespace),
    textColumn('group', 'GROUP', [22, 48], ({ by }) => formatGroupLabel(Object.entries(by)), { cut: 'middle' }),
    tableColumn('events', 'EVENTS', [10, 12], eventsText, {
      tone: ({ worst = 'unknown', firing }) => (firing === 0 ? 'faint' : SEVERITY_STYLES[worst].tone),
      compare: (a, b) => worstRank(a) - worstRank(b) || b.firing - a.firing,
    }),
    countColumn('pending', 'PENDING', ({ pending }) => pending, { least: 8, most: 8, tone: 'strong' }),
    tableColumn('notified', 'NOTIFIED', [9, 9], notifiedText, {
      dropRank: 1,
      compare: (a, b) => (b.notified_at ?? 0) - (a.notified_at ?? 0),
    }),
    tableColumn('next', 'NEXT', [14, Infinity], nextFlushText, {
      tone: ({ pending }) => (pending > 0 ? 'strong' : 'plain'),
      compare: compareByNextFlush,
    }),
  ],
  sort: 'next',
  search: GROUP_SEARCH,
  empty: () => [NO_GROUP_TEXT, '', 'A handler with "group_by" sends one notification for many events.'],
  menu: ['open'],
});

/** Returns the worst status and the number of firing events in a group, such as `✗ CRIT 31`. */
function eventsText({ firing, worst = 'unknown' }: GroupRow): string {
  if (firing === 0) return 'resolved';
  return `${SEVERITY_STYLES[worst].symbol} ${SEVERITY_STYLES[worst].word.padEnd(4)} ${countText(firing)}`;
}

function worstRank({ firing, worst = 'unknown' }: GroupRow): number {
  return firing === 0 ? SEVERITIES_WORST_FIRST.length : SEVERITIES_WORST_FIRST.indexOf(worst);
}

/**
 * Returns the groups of the last response that belong to the shown namespace, by key. The map is built once for each
 * response.
 */
function groupsByKey({ loads, options }: ScreenView & Pick<LiveData, 'loads'>): ReadonlyMap<string, GroupRow> {
  const { data } = loads.loadOf('groups');
  if (data === undefined) return NO_GROUPS;
  const byKey =
    groupsByKeyCache.get(data) ??
    new Map(data.filter(isInShownNamespace(options)).map((group) => [keyOfGroup(group), group]));
  groupsByKeyCache.set(data, byKey);
  return byKey;
}

/**
 * Returns the key of a group. It is built from other attributes if the backend has an earlier version, which sends no
 * id.
 */
function keyOfGroup({ id, namespace, handler, by }: GroupRow): string {
  return id ?? JSON.stringify([namespace, handler, by]);
}

const NO_GROUPS: ReadonlyMap<string, GroupRow> = new Map();
const groupsByKeyCache = new WeakMap<readonly GroupRow[], ReadonlyMap<string, GroupRow>>();
