import { formatDuration } from '../../../shared/domain/duration.ts';
import { groupLabel } from '../../../shared/domain/grouping/place.ts';
import { GROUP_SEARCH } from '../../../shared/domain/search-nouns.ts';
import type { GroupRow } from '../../../shared/schemas/grouping.ts';
import { column, countColumn, textColumn } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import type { Known } from '../../model/known.ts';
import { NAMESPACE_COLUMN } from '../../model/where-column.ts';
import { isInShown } from '../../model/shown-namespace.ts';
import type { Opened } from '../../state/ports.ts';
import { STATUS } from '../../text/theme.ts';
import { countText } from '../../words/count-text.ts';

const WORST_FIRST = ['critical', 'warning', 'unknown', 'ok'] as const;

/** What handlers with `group_by` tell together. */
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
    textColumn('group', 'GROUP', [22, 48], ({ by }) => groupLabel(Object.entries(by)), { cut: 'middle' }),
    column('events', 'EVENTS', [10, 12], eventsText, {
      tone: ({ worst = 'unknown', firing }) => (firing === 0 ? 'faint' : STATUS[worst].tone),
      compare: (a, b) => worstRank(a) - worstRank(b) || b.firing - a.firing,
    }),
    countColumn('untold', 'UNTOLD', ({ waiting }) => waiting, { least: 6, most: 7, tone: 'strong' }),
    column('told', 'TOLD', [9, 9], toldText, {
      spare: 1,
      compare: (a, b) => (b.told_at ?? 0) - (a.told_at ?? 0),
    }),
    column('next', 'NEXT', [14, Infinity], nextText, {
      tone: ({ waiting }) => (waiting > 0 ? 'strong' : 'plain'),
      // What waits comes before what is only told again.
      compare: (a, b) => Number(b.waiting > 0) - Number(a.waiting > 0) || a.due_at - b.due_at,
    }),
  ],
  sort: 'next',
  search: GROUP_SEARCH,
  empty: () => [
    'No group: no event waits to be told with others, or was told so and persists.',
    '',
    'A handler with "group_by" tells of many events by one message.',
  ],
  menu: ['open'],
});

/** `✗ CRIT 31`: how many persist, and the worst of them. */
function eventsText({ firing, worst = 'unknown' }: GroupRow): string {
  if (firing === 0) return 'all over';
  return `${STATUS[worst].symbol} ${STATUS[worst].word.padEnd(4)} ${countText(firing)}`;
}

function worstRank({ firing, worst = 'unknown' }: GroupRow): number {
  return firing === 0 ? WORST_FIRST.length : WORST_FIRST.indexOf(worst);
}

function toldText({ told_at: at }: GroupRow, nowMs: number): string {
  return at === null ? 'never' : `${formatDuration(Math.max(0, nowMs / 1000 - at), 1)} ago`;
}

/** When it is told next; of what was told and persists, when again. */
function nextText({ waiting, due_at: at }: GroupRow, nowMs: number): string {
  const seconds = at - nowMs / 1000;
  if (waiting > 0) return seconds > 0 ? `waits ${formatDuration(seconds, 2)}` : 'now';
  return `again in ${formatDuration(Math.max(0, seconds), 2)}`;
}

/** Those that were loaded last and are shown, made once for each answer. */
function groups({ loads, options }: Opened & Pick<Known, 'loads'>): ReadonlyMap<string, GroupRow> {
  const { data } = loads.of('groups');
  if (data === undefined) return NONE;
  const known = memo.get(data) ?? new Map(data.filter(isInShown(options)).map((group) => [keyOfGroup(group), group]));
  memo.set(data, known);
  return known;
}

/** A backend of an earlier version says no id. */
function keyOfGroup({ id, namespace, handler, by }: GroupRow): string {
  return id ?? JSON.stringify([namespace, handler, by]);
}

const NONE: ReadonlyMap<string, GroupRow> = new Map();
const memo = new WeakMap<readonly GroupRow[], ReadonlyMap<string, GroupRow>>();
