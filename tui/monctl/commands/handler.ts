import type { HandlerStatus } from '../../../shared/schemas/dead-letter.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import type { Command } from '../command.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import type { Column } from '../table.ts';
import { testCommand } from './handler-test.ts';

const list: Command = {
  words: ['handler', 'list'],
  summary: 'List handlers with what they do and have before them',
  details: ['Sets are left out: they never run themselves. Counted is since the backend started.'],
  operands: [],
  options: LIST_OPTIONS,
  examples: [['monctl handler list --watch', 'does everything get out']],
  async run(call) {
    await showList<HandlerStatus>(call, {
      noun: 'handlers',
      columns,
      key: ({ name }) => name,
      // Figures that move all the time are no news.
      news: ({ type, failed, last_error: error }) => [type, failed, error],
      fetch: () => call.api().handlers(),
    });
  },
};

export const handlerCommands: readonly Command[] = [list, testCommand];

function columns(nowMs: number): readonly Column<HandlerStatus>[] {
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
