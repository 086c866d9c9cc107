import type { HandlerStatus } from '../../../shared/schemas/dead-letter.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { formatGroupLabel } from '../../../shared/domain/notify/group-key.ts';
import { GROUP_SEARCH } from '../../../shared/domain/list-searches.ts';
import type { GroupRow } from '../../../shared/schemas/grouping.ts';
import type { Command } from '../command.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { followOrPoll } from '../follow.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { ONLY_NAMESPACE_OPTIONS, onlyNamespaceOf } from '../namespaces.ts';
import type { Column } from '../table.ts';
import { severityStyle, severityWord } from '../severity-text.ts';
import { testCommand } from './handler-test.ts';

const list: Command = {
  words: ['handler', 'list'],
  summary: 'List handlers with their queues and counters',
  details: ['Handler sets are not listed: they only group handlers. The counters are reset when the backend restarts.'],
  options: LIST_OPTIONS,
  examples: [['monctl handler list --watch', 'watch the queues']],
  async run(call) {
    await showList<HandlerStatus>(call, {
      noun: 'handlers',
      columns: handlerColumns,
      key: ({ name }) => name,
      // The comparison for changes omits values that change constantly, such as the length of the queue.
      comparedPart: ({ type, failed, last_error: error }) => [type, failed, error],
      fetch: () => call.api().handlers(),
    });
  },
};

const groups: Command = {
  words: ['handler', 'groups'],
  summary: 'List the notification groups of handlers, and when each group sends its next notification',
  details: ['Only handlers with group_by have groups. A group without events is removed.'],
  options: { filter: FILTER_OPTION, ...ONLY_NAMESPACE_OPTIONS, ...LIST_OPTIONS },
  examples: [
    ['monctl handler groups --watch', 'pending notifications'],
    ["monctl handler groups --namespace team-a --filter 'pending>0'", 'pending notifications of one namespace'],
  ],
  async run(call) {
    const only = onlyNamespaceOf(call);
    const fetch = async (): Promise<readonly GroupRow[]> => {
      const all = await call.api().handlerGroups();
      return only === undefined ? all : all.filter(({ namespace }) => namespace === only);
    };
    await showList<GroupRow>(call, {
      noun: 'groups',
      columns: (nowMs) => [...(only === undefined ? [NAMESPACE_COLUMN] : []), ...groupColumns(nowMs)],
      search: GROUP_SEARCH,
      key: ({ namespace, handler, by }) => JSON.stringify([namespace, handler, by]),
      comparedPart: ({ firing, pending, notified_at: notifiedAt }) => [firing, pending, notifiedAt],
      fetch,
      follow: () => followOrPoll(call, only, 'groups', { itemsOf: (replica) => [...replica.groups.values()], fetch }),
    });
  },
};

export const handlerCommands: readonly Command[] = [list, groups, testCommand];

const NAMESPACE_COLUMN: Column<GroupRow> = { title: 'NAMESPACE', text: ({ namespace }) => namespace };

function groupColumns(nowMs: number): readonly Column<GroupRow>[] {
  const age = (seconds: number): string => formatDuration(nowMs / 1000 - seconds, 1);
  return [
    { title: 'HANDLER', text: ({ handler }) => handler },
    { title: 'GROUP', text: ({ by }) => formatGroupLabel(Object.entries(by)) },
    { title: 'WORST', text: ({ worst }) => severityWord(worst), style: ({ worst }) => severityStyle(worst) },
    { title: 'FIRING', align: 'right', text: ({ firing }) => String(firing) },
    { title: 'PENDING', align: 'right', text: ({ pending }) => String(pending) },
    { title: 'NOTIFIED', align: 'right', text: ({ notified_at: at }) => (at === null ? 'never' : `${age(at)} ago`) },
    { title: 'DUE', align: 'right', text: ({ due_at: at }) => dueText(at - nowMs / 1000) },
  ];
}

function dueText(seconds: number): string {
  return seconds <= 0 ? 'now' : `in ${formatDuration(seconds, 2)}`;
}

function handlerColumns(nowMs: number): readonly Column<HandlerStatus>[] {
  return [
    { title: 'HANDLER', text: ({ name }) => name },
    { title: 'TYPE', text: ({ type }) => type ?? 'not defined' },
    countColumn('QUEUED', ({ queued }) => queued),
    countColumn('RUNNING', ({ running }) => running),
    countColumn('RETRYING', ({ retrying }) => retrying),
    countColumn('DELIVERED', ({ delivered }) => delivered),
    {
      ...countColumn('FAILED', ({ failed }) => failed),
      style: ({ failed }) => (failed > 0 ? 'red' : undefined),
    },
    {
      title: 'OLDEST',
      align: 'right',
      text: ({ oldest_age: age }) => (age === null ? '' : formatDuration(age, 1)),
    },
    {
      title: 'LAST ERROR',
      text: ({ last_error: error }) =>
        error === null ? '' : `${formatDuration(nowMs / 1000 - error.at, 1)} ago: ${error.reason}`,
    },
  ];
}

function countColumn(title: string, count: (handler: HandlerStatus) => number): Column<HandlerStatus> {
  return { title, align: 'right', text: (handler) => String(count(handler)) };
}
