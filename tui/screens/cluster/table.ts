import { formatDuration } from '../../../shared/domain/duration.ts';
import { MEMBER_SEARCH } from '../../../shared/domain/list-searches.ts';
import type { ClusterMember } from '../../../shared/schemas/cluster.ts';
import { countColumn, textColumn } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import type { TableColumn } from '../../list/table-column.ts';
import type { LiveData } from '../../model/live-data.ts';
import { MEMBER_TONES } from './lines.ts';
import { summaryLines } from './summary.ts';

/** The view of the members of the cluster. */
export const CLUSTER_VIEW = tableView<ClusterMember>({
  name: 'cluster',
  nouns: ['member', 'members'],
  source: {
    keys: (store) => membersOf(store).map(({ id }) => id),
    row: (store, key) => membersOf(store).find(({ id }) => id === key),
  },
  columns: [
    textColumn('name', 'NAME', [14, 40], ({ name }) => name, { cut: 'middle' }),
    textColumn('role', 'ROLE', [8, 8], ({ role }) => role, {
      tone: ({ role }) => (role === 'leader' ? 'strong' : 'plain'),
    }),
    textColumn('state', 'STATE', [7, 7], ({ state }) => state, { tone: ({ state }) => MEMBER_TONES[state] }),
    countColumn('lag', 'LAG', ({ lag }) => lag, { least: 6, most: 9 }),
    ageColumn('seen', 'SEEN', ({ last_seen: at }) => at),
    textColumn('version', 'VERSION', [7, 14], ({ version }) => version),
    ageColumn('up', 'UP', ({ since }) => since),
  ],
  sort: 'name',
  search: MEMBER_SEARCH,
  above: summaryLines,
  empty: () => ['No members yet: this backend has not joined the cluster.'],
  menu: ['open', 'hand-over'],
});

/** Returns a column for an age, such as the time since a member was last seen. The smallest age sorts first. */
function ageColumn(id: string, title: string, at: (member: ClusterMember) => number): TableColumn<ClusterMember> {
  return {
    id,
    title,
    least: 5,
    most: 5,
    align: 'right',
    text: (member, nowMs) => formatDuration(nowMs / 1000 - at(member), 1),
    compare: (a, b) => at(b) - at(a),
  };
}

function membersOf({ loads }: Pick<LiveData, 'loads'>): readonly ClusterMember[] {
  return loads.loadOf('cluster').data?.view.members ?? [];
}
