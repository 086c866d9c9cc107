import type { ApiClient } from '../../../shared/client/api-client.ts';
import { clusterTroubles, chooseNextLeader, chooseRemoval, leaderName } from '../../../shared/domain/cluster.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { MEMBER_SEARCH } from '../../../shared/domain/list-searches.ts';
import { MonError } from '../../../shared/errors.ts';
import type { ClusterMember, ClusterView } from '../../../shared/schemas/cluster.ts';
import { carryOut, DELETE_OPTIONS } from '../change.ts';
import type { Command } from '../command.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { countedNoun } from '../counted-noun.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { recordText, type Column } from '../table.ts';
import { timeWithAge } from '../times.ts';

const list: Command = {
  words: ['cluster', 'list'],
  summary: 'List the members of the cluster',
  options: { filter: FILTER_OPTION, ...LIST_OPTIONS },
  examples: [['monctl cluster list --watch', 'during a rolling restart']],
  async run(call) {
    await showList<ClusterMember>(call, {
      noun: 'members',
      columns: memberColumns,
      search: MEMBER_SEARCH,
      key: ({ id }) => id,
      // The comparison for changes omits values that change constantly, such as the lag.
      comparedPart: ({ name, role, state, version }) => [name, role, state, version],
      fetch: async () => (await viewOf(call.api())).members,
    });
  },
};

const info: Command = {
  words: ['cluster', 'info'],
  summary: 'Show the cluster leader and the database state',
  options: {},
  examples: [['monctl cluster info --output json', 'all details as JSON']],
  async run({ api, output, nowMs }) {
    const view = await viewOf(api());
    await output.show(view, () => recordText(fieldsOf(view, nowMs), output.look));
  },
};

const handOver: Command = {
  words: ['cluster', 'hand-over'],
  summary: 'Hand over leadership to another cluster member',
  details: [
    'Use this command before you stop the host of the leader: writes wait a moment, but do not fail.',
    'MEMBER is a name or an ID. Without MEMBER, the most up-to-date follower takes over.',
  ],
  operands: ['[MEMBER]'],
  options: DELETE_OPTIONS,
  examples: [['monctl cluster hand-over mon-2:4567', 'before mon-1 reboots']],
  async run(call) {
    const [member = ''] = call.operands;
    const to = member === '' ? undefined : member;
    await carryOut(call, {
      async send(api) {
        const beganMs = call.clock.now();
        const view = await api.handOver(to);
        return { view, seconds: Math.max(0, call.clock.now() - beganMs) / 1000 };
      },
      effects: async () => [effectOf(await viewOf(call.api()), to)],
      question: 'hand over',
      value: ({ view, seconds }) => ({ leader: view.leader, seconds, members: view.members }),
      successText: ({ view, seconds }) =>
        `${leaderName(view) ?? 'no member'} is the leader now, after ${seconds.toFixed(1)}s`,
    });
  },
};

const remove: Command = {
  words: ['cluster', 'remove'],
  summary: 'Remove a lost member from the list of cluster members',
  details: [
    'A member that was stopped is not listed any more. A member whose host failed is listed as lost until it is back, or',
    'until it is removed. MEMBER is a name or an ID.',
  ],
  operands: ['MEMBER'],
  options: DELETE_OPTIONS,
  examples: [['monctl cluster remove mon-3:4567', 'after the host mon-3 was replaced']],
  async run(call) {
    const [member = ''] = call.operands;
    await carryOut(call, {
      send: (api) => api.removeMember(member),
      effects: async () => [removalOf(await viewOf(call.api()), member)],
      question: 'remove',
      value: ({ members }) => ({ members }),
      successText: ({ members }) => `removed ${member}, ${countedNoun(members.length, 'members')} left`,
    });
  },
};

export const clusterCommands: readonly Command[] = [list, info, handOver, remove];

/**
 * Fetches the state of the cluster.
 *
 * @throws MonError `not_found` when the version of the backend does not support clusters
 */
async function viewOf(api: ApiClient): Promise<ClusterView> {
  const view = await api.cluster();
  if (view === undefined) throw new MonError('not_found', 'this version of the backend does not support clusters');
  return view;
}

/**
 * Describes the effect of a handover in a sentence.
 *
 * @throws MonError when the backend would reject the handover
 */
function effectOf(view: ClusterView, to: string | undefined): string {
  const succession = chooseNextLeader(view, to);
  if (succession.kind === 'refused') throw new MonError(succession.code, succession.reason);
  return `${succession.member.name} would become the leader instead of ${leaderName(view) ?? 'no member'}`;
}

/**
 * Describes the effect of a removal in a sentence.
 *
 * @throws MonError when the backend would reject the removal
 */
function removalOf(view: ClusterView, which: string): string {
  const removal = chooseRemoval(view, which);
  if (removal.kind === 'refused') throw new MonError(removal.code, removal.reason);
  return `${removal.member.name} (${removal.member.url}) would be removed from the list of members`;
}

function fieldsOf(view: ClusterView, nowMs: number): readonly (readonly [string, string])[] {
  const { member_id: memberId, leader, seq, database, members } = view;
  const name = members.find(({ id }) => id === memberId)?.name ?? memberId;
  const since = leader === null ? '' : ` since ${timeWithAge(leader.since, nowMs)}, epoch ${String(leader.epoch)}`;
  return [
    ['member', name],
    ['leader', `${leaderName(view) ?? 'none'}${since}`],
    ['last write', String(seq)],
    ['database', `${database.kind} ${database.location}`.trim()],
    ['database state', database.problem === null ? database.state : `${database.state}: ${database.problem}`],
    ['members', memberCounts(members)],
    ...clusterTroubles(view).map(({ text }) => ['trouble', text] as const),
  ];
}

/** Returns the number of members, and of those that lag or are lost, such as `3 members, 1 lagging, 1 lost`. */
function memberCounts(members: readonly ClusterMember[]): string {
  const impaired = (['lagging', 'lost'] as const).flatMap((state) => {
    const count = members.filter((member) => member.state === state).length;
    return count === 0 ? [] : [`${String(count)} ${state}`];
  });
  return [countedNoun(members.length, 'members'), ...impaired].join(', ');
}

function memberColumns(nowMs: number): readonly Column<ClusterMember>[] {
  const age = (seconds: number): string => formatDuration(nowMs / 1000 - seconds, 1);
  return [
    { title: 'NAME', text: ({ name }) => name },
    { title: 'ROLE', text: ({ role }) => role },
    {
      title: 'STATE',
      text: ({ state }) => state,
      style: ({ state }) => (state === 'ok' ? undefined : state === 'lost' ? 'red' : 'yellow'),
    },
    { title: 'LAG', align: 'right', text: ({ lag }) => String(lag) },
    { title: 'SEEN', align: 'right', text: ({ last_seen: at }) => age(at) },
    { title: 'VERSION', text: ({ version }) => version },
    { title: 'UP', align: 'right', text: ({ since }) => age(since) },
  ];
}
